#pragma once

#include "store/redis/redis_reply_parser.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/net/socket/transport.hpp>
#include <weft/store/redis_client.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/** A Redis server in memory, for simulations: what it answers is up to the test. */
namespace scripted_redis {

namespace asio = boost::asio;
using boost::system::error_code;
using words = std::vector<std::string>;

/** What one connection has: the server's side is played while the client writes. */
class wire final : public weft::net_detail::transport {
public:
    using answer_function = std::function<std::string(wire&, const words&)>;

    wire(answer_function answers, std::size_t piece_max) : answers_{std::move(answers)}, piece_max_{piece_max} {}

    weft::net_detail::wire_operation read_some(asio::mutable_buffer buffer, std::shared_ptr<const void> owner) override
    {
        auto initiation = [this, buffer](auto handler) {
            using handler_type = std::decay_t<decltype(handler)>;
            const auto shared = std::make_shared<handler_type>(std::move(handler));
            auto slot = asio::get_associated_cancellation_slot(*shared);
            if (slot.is_connected())
                slot.assign([this](asio::cancellation_type) { finish(asio::error::operation_aborted, 0); });
            waiting_buffer_ = buffer;
            waiting_ = [shared](error_code code, std::size_t size) {
                asio::get_associated_cancellation_slot(*shared).clear();
                asio::post(asio::get_associated_executor(*shared),
                           [shared, code, size] { (*shared)(code, size); });
            };
            deliver();
        };
        weft::use_task_keeping token{std::move(owner)};
        return asio::async_initiate<weft::use_task_keeping, void(error_code, std::size_t)>(std::move(initiation),
                                                                                           token);
    }

    weft::net_detail::wire_operation write_some(asio::const_buffer buffer, std::shared_ptr<const void> owner) override
    {
        const std::size_t size = std::min(buffer.size(), piece_max_);
        error_code code;
        if (has_ended_) code = asio::error::broken_pipe;
        if (!code) accept({static_cast<const char*>(buffer.data()), size});
        auto initiation = [code, size](auto handler) {
            const auto executor = asio::get_associated_executor(handler);
            asio::post(executor, [handler = std::move(handler), code, size]() mutable { handler(code, size); });
        };
        weft::use_task_keeping token{std::move(owner)};
        return asio::async_initiate<weft::use_task_keeping, void(error_code, std::size_t)>(std::move(initiation),
                                                                                           token);
    }

    bool is_quiet() noexcept override { return !has_ended_ && to_client_.empty(); }
    void close() noexcept override
    {
        has_ended_ = true;
        finish(asio::error::operation_aborted, 0);
    }

    /** The server says something by itself. */
    void say(const std::string& text)
    {
        to_client_ += text;
        deliver();
    }
    /** The server goes away; what it has said before may still be read. */
    void hang_up()
    {
        has_ended_ = true;
        deliver();
    }

private:
    void accept(std::string_view bytes)
    {
        parser_.feed(bytes);
        while (const auto command = parser_.next()) {
            words said;
            for (const weft::redis_value& word : command->items) said.push_back(word.text);
            if (!has_ended_) say(answers_(*this, said));
        }
    }
    void deliver()
    {
        if (!waiting_) return;
        if (to_client_.empty()) {
            if (has_ended_) finish(asio::error::eof, 0);
            return;
        }
        const std::size_t size = std::min({to_client_.size(), waiting_buffer_.size(), piece_max_});
        asio::buffer_copy(waiting_buffer_, asio::buffer(to_client_), size);
        to_client_.erase(0, size);
        finish({}, size);
    }
    void finish(error_code code, std::size_t size)
    {
        if (const auto done = std::exchange(waiting_, nullptr)) done(code, size);
    }

    answer_function answers_;
    std::size_t piece_max_;
    weft::redis_reply_parser parser_;
    std::string to_client_;
    bool has_ended_ = false;
    asio::mutable_buffer waiting_buffer_;
    std::function<void(error_code, std::size_t)> waiting_;
};

inline std::string ok() { return "+OK\r\n"; }
inline std::string text(const std::string& words)
{
    return "$" + std::to_string(words.size()) + "\r\n" + words + "\r\n";
}

/** The server: counts, remembers what was said, and answers. */
class server {
public:
    /** Answers what is no greeting. */
    explicit server(wire::answer_function answers) : answers_{std::move(answers)} {}
    server(const server&) = delete;
    ~server() { *self_ = nullptr; }

    /** What a client opens connections with. A client may find the server gone. */
    [[nodiscard]] weft::redis_client::stream_factory opener()
    {
        return [self = self_](std::chrono::nanoseconds) { return open(self); };
    }
    [[nodiscard]] weft::redis_client client(weft::redis_options options = weft::redis_options{"redis.test"})
    {
        return weft::redis_client{std::move(options), opener()};
    }

    [[nodiscard]] std::shared_ptr<wire> newest() const { return newest_.lock(); }

    int attempts = 0;
    int connections = 0;
    int refused = 0;              ///< So many attempts to connect are refused first.
    std::size_t piece_max = 7;    ///< Of what is read or written at once.
    std::vector<words> heard;
    std::map<std::string, std::string> greetings;  ///< Answers to commands of the greeting; by default it is accepted.

private:
    using handle = std::shared_ptr<server*>;

    static weft::task<weft::byte_stream> open(handle self)
    {
        co_await weft::sleep_for(std::chrono::milliseconds{1});
        if (!*self) throw weft::error{weft::errc::connect_failed, "redis.test:6379", "there is no server any more"};
        server& here = **self;
        ++here.attempts;
        if (here.refused > 0) {
            --here.refused;
            throw weft::error{weft::errc::connect_failed, "redis.test:6379", "connection refused"};
        }
        ++here.connections;
        const auto answers = [self](wire& at, const words& said) {
            return *self ? (*self)->answer(at, said) : std::string{};
        };
        auto opened = std::make_shared<wire>(answers, here.piece_max);
        here.newest_ = opened;
        co_return weft::byte_stream{opened};
    }
    std::string answer(wire& at, const words& said)
    {
        heard.push_back(said);
        const bool is_greeting = said[0] == "AUTH" || said[0] == "SELECT" || said[0] == "CLIENT" || said[0] == "PING";
        if (!is_greeting) return answers_(at, said);
        const auto found = greetings.find(said[0]);
        return found == greetings.end() ? ok() : found->second;
    }

    wire::answer_function answers_;
    std::weak_ptr<wire> newest_;
    handle self_ = std::make_shared<server*>(this);
};

}  // namespace scripted_redis
