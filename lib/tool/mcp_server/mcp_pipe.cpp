#include "mcp_http.hpp"

#include "mcp_http_check.hpp"
#include "tool/rpc/json_rpc_lines.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/use_task.hpp>
#include <weft/base/error.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <deque>
#include <optional>
#include <utility>

#include <unistd.h>

namespace weft::mcp_detail {

namespace {

using boost::json::object;
using pipe_end = boost::asio::posix::basic_stream_descriptor<loop_executor>;

/** How long calls may still take when the client has closed its end. */
constexpr std::chrono::nanoseconds last_calls_max = std::chrono::seconds{1};
constexpr std::chrono::nanoseconds last_calls_look = std::chrono::milliseconds{10};

/** Both ends of a pipe, and what is read and written, which an operation needs to its end. */
struct line_pipe {
    explicit line_pipe(serial_loop& loop) : in{loop.executor()}, out{loop.executor()} {}

    pipe_end in;
    pipe_end out;
    std::array<char, 16 * 1024> bytes;
    std::string line;
};

/** The lines that wait to be written. */
struct line_queue {
    std::deque<std::string> lines{};
    signal more{};
    bool is_closed = false;

    void push(std::string line)
    {
        line.push_back('\n');
        lines.push_back(std::move(line));
        more.notify();
    }
};

class line_outlet final : public outlet {
public:
    line_outlet(std::shared_ptr<line_queue> into, std::size_t unread_max)
        : into_{std::move(into)}, unread_max_{unread_max}
    {
    }
    void send(std::string message, std::string, bool may_be_lost) override
    {
        if (may_be_lost && into_->lines.size() >= unread_max_) return;
        into_->push(std::move(message));
    }
    void finish(const json_rpc_message& answer) override { into_->push(answer.text()); }
    void abort() override {}

private:
    std::shared_ptr<line_queue> into_;
    std::size_t unread_max_;
};

void open_end(pipe_end& made, int descriptor)
{
    // Closed with the pipe, and the program's own stays open. Regular files work too: they never wait.
    const int own = ::dup(descriptor);
    boost::system::error_code code;
    if (own >= 0) made.assign(own, code);
    if (own < 0 || code)
        throw error{errc::invalid_configuration, "MCP over a pipe",
                    "file descriptor " + std::to_string(descriptor) + " cannot be used"};
}

/** One client at the other end of a pipe. */
class line_session {
public:
    line_session(std::shared_ptr<mcp_core> core, mcp_caller caller)
        : core_{std::move(core)}, queue_{std::make_shared<line_queue>()},
          out_{std::make_shared<line_outlet>(queue_, core_->options.unread_max)},
          session_{std::make_shared<server_session>()}
    {
        session_->caller = std::move(caller);
    }

    task<void> run(std::shared_ptr<line_pipe> pipe)
    {
        const task_context& context = co_await this_task::context();
        core_->sessions.adopt(session_);
        scope writing{context};
        writing.spawn(write_lines(pipe));
        writing.spawn(read_lines(pipe));
        co_await writing.join();
    }
    ~line_session()
    {
        session_->end();
        core_->sessions.forget(*session_);
    }

private:
    task<void> read_lines(std::shared_ptr<line_pipe> pipe)
    {
        json_rpc_lines lines{core_->options.message_bytes_max};
        for (;;) {
            const auto [code, size] = co_await pipe->in.async_read_some(boost::asio::buffer(pipe->bytes),
                                                                   use_task_keeping{pipe});
            if (code == boost::asio::error::operation_aborted) throw error{errc::cancelled};
            if (code || size == 0) break;
            lines.feed({pipe->bytes.data(), size});
            while (lines.next()) co_await take_line(std::string{lines.line()});
            if (!lines.has_failed()) continue;
            // Where the next message begins is not known any more.
            refuse(std::nullopt, json_rpc_code::invalid_request, lines.failure("MCP client").detail());
            break;
        }
        for (auto waited = last_calls_look; !session_->running.empty() && waited < last_calls_max;
             waited += last_calls_look)
            co_await sleep_for(last_calls_look);
        // The lines of what was answered meanwhile are written, and then the pipe is done with.
        session_->end();
        queue_->is_closed = true;
        queue_->more.notify();
    }

    task<void> write_lines(std::shared_ptr<line_pipe> pipe)
    {
        for (;;) {
            while (queue_->lines.empty() && !queue_->is_closed) co_await queue_->more.wait();
            if (queue_->lines.empty()) co_return;
            pipe->line = std::move(queue_->lines.front());
            queue_->lines.pop_front();
            const auto [code, size] = co_await boost::asio::async_write(pipe->out, boost::asio::buffer(pipe->line),
                                                                      use_task_keeping{pipe});
            if (code == boost::asio::error::operation_aborted) throw error{errc::cancelled};
            if (code) throw error{errc::connection_lost, "MCP client", "it does not read any more"};
        }
    }

    task<void> take_line(std::string line)
    {
        std::optional<json_rpc_message> message;
        try {
            message.emplace(json_rpc_message::parse(line));
        } catch (const error& e) {
            if (e.code() != errc::invalid_json && e.code() != errc::invalid_mcp_message) throw;
            const bool is_json = e.code() == errc::invalid_mcp_message;
            refuse(std::nullopt, is_json ? json_rpc_code::invalid_request : json_rpc_code::parse_error, e.what());
        }
        if (!message) co_return;
        if (message->what() == json_rpc_message::kind::request) co_return take_request(std::move(*message));
        // An answer that nothing waits for came too late; over a pipe there is no way to say so.
        (void)co_await core_->take(session_, std::move(*message));
    }

    void take_request(json_rpc_message request)
    {
        const json_rpc_id id = *request.id();
        if (era_of(request) == mcp_era::modern) {
            modern_request read = read_modern_request(request, nullptr);
            if (read.refused) return out_->finish(json_rpc_message::error(id, std::move(read.refused->why)));
            core_->begin(std::move(request), {std::move(read.client), session_->caller, session_, out_});
            return;
        }
        if (request.method() == "initialize") return initialize(request);
        if (!session_->is_open && request.method() != "ping")
            return refuse(id, json_rpc_code::invalid_request, "begin with initialize");
        core_->begin(std::move(request), {{}, session_->caller, session_, out_});
    }

    void initialize(const json_rpc_message& request)
    {
        try {
            session_->client = read_initialize(request.params());
        } catch (const mcp_rejection& wrong) {
            return out_->finish(json_rpc_message::error(request.id(), wrong.why()));
        }
        session_->is_open = true;
        session_->standalone = out_;
        out_->finish(json_rpc_message::result(*request.id(), greeting(*core_, session_->client)));
    }

    void refuse(std::optional<json_rpc_id> id, std::int64_t code, std::string why)
    {
        out_->finish(json_rpc_message::error(std::move(id), {code, std::move(why), nullptr}));
    }

    std::shared_ptr<mcp_core> core_;
    std::shared_ptr<line_queue> queue_;
    std::shared_ptr<outlet> out_;
    std::shared_ptr<server_session> session_;
};

}  // namespace

object greeting(const mcp_core& core, const mcp_peer& client)
{
    object said{{"protocolVersion", client.version}, {"capabilities", core.capabilities()}};
    said["serverInfo"] = core.identity();
    if (!core.options.instructions.empty()) said["instructions"] = core.options.instructions;
    return said;
}

task<void> serve_lines(std::shared_ptr<mcp_core> core, int in, int out, mcp_caller caller)
{
    serial_loop& loop = co_await this_task::loop();
    core->bind(loop);
    const auto pipe = std::make_shared<line_pipe>(loop);
    open_end(pipe->in, in);
    open_end(pipe->out, out);
    line_session session{std::move(core), std::move(caller)};
    co_await session.run(pipe);
}

}  // namespace weft::mcp_detail
