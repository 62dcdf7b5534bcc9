#include "thread_socket.hpp"

#include "serve/langgraph/body_fields.hpp"
#include "serve/langgraph/threads.hpp"
#include "thread_commands.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t batch_bytes = 32 * 1024;     // of frames that are made before they are sent
constexpr std::size_t subscriptions_max = 64;      // of a client; hooks have two
constexpr std::chrono::minutes rest{1};            // the session itself looks for signs of life

}  // namespace

thread_socket::thread_socket(serve_core& core, websocket_session session, std::string thread)
    : core_{core}, session_{session}, thread_{std::move(thread)}, tape_{core.tapes.of(key_of(thread_))}
{
}

task<void> thread_socket::run()
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    children_ = &children;
    try {
        co_await take_commands();
    } catch (const error&) {
        // A client that goes away while it is answered is no failure.
        if (session_.is_open()) throw;
    }
    // When the server drains, the tape is closed, and the events in it are still sent.
    if (!core_.is_draining) children.request_stop();
    co_await children.join();
}

task<void> thread_socket::take_commands()
{
    for (;;) {
        std::optional<std::string> message = co_await session_.receive();
        if (!message) co_return;
        const boost::json::object answered = co_await answer(std::move(*message));
        std::string text = boost::json::serialize(answered);
        co_await session_.send(std::move(text));
    }
}

task<boost::json::object> thread_socket::answer(std::string message)
{
    boost::json::value given;
    try {
        given = parse_json(message);
    } catch (const error& wrong) {
        co_return command_fault(nullptr, "invalid_argument", wrong.what());
    }
    if (!given.is_object())
        co_return command_fault(nullptr, "invalid_argument", "expected an object with id, method and params");
    const boost::json::value* const id = find_member(given.get_object(), "id");
    boost::json::value same_id = id ? *id : boost::json::value{nullptr};
    connection_commands own = [this](const std::string& method, const boost::json::object& params) {
        return own_command(method, params);
    };
    std::exception_ptr failure;
    boost::json::object answered;
    try {
        answered = co_await answer_command(core_, thread_, std::move(given.get_object()), std::move(own));
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return answered;
    if (code_of(failure) == errc::cancelled) std::rethrow_exception(failure);
    core_.tell_error("a command of thread " + thread_, text_of(failure));
    co_return command_fault(std::move(same_id), "unknown_error", "the server failed");
}

std::optional<boost::json::object> thread_socket::own_command(const std::string& method,
                                                              const boost::json::object& params)
{
    if (method == "subscription.subscribe") return subscribe(params);
    if (method == "subscription.unsubscribe") return unsubscribe(params);
    // Subscriptions end with their connection: the client makes them again.
    if (method == "subscription.reconnect") return boost::json::object{{"restored", false}};
    return std::nullopt;
}

boost::json::object thread_socket::subscribe(const boost::json::object& params)
{
    if (subscriptions_ >= subscriptions_max)
        throw command_error{"invalid_argument", "a connection has at most " + std::to_string(subscriptions_max) +
                                                    " subscriptions"};
    subscription made{std::to_string(last_id_ + 1), channel_filter::read(params), thread_frames::since(params)};
    ++last_id_;
    ++subscriptions_;
    boost::json::object result{{"subscription_id", made.id}};
    if (!reader_) {
        reader_.emplace(tape_, made.since);
        frames_.add(std::move(made.id), std::move(made.filter));
        children_->spawn(tell_events());
    } else {
        waiting_.push_back(std::move(made));
        reader_->wake();
    }
    return result;
}

boost::json::object thread_socket::unsubscribe(const boost::json::object& params)
{
    const std::string id = required_text(params, "subscription_id");  // not empty
    const std::size_t waited =
        std::erase_if(waiting_, [&id](const subscription& one) { return one.id == id; });
    const bool was_catching_up = catching_up_ == id;
    if (was_catching_up) catching_up_.clear();
    if (!frames_.remove(id) && waited == 0 && !was_catching_up)
        throw command_error{"no_such_subscription", "there is no subscription '" + id + "'"};
    --subscriptions_;
    return {};
}

/** The events of the client, until the tape is closed or the client gone. */
task<void> thread_socket::tell_events()
{
    std::exception_ptr failure;
    try {
        co_await send_events();
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure || !session_.is_open()) co_return;
    core_.tell_error("events of thread " + thread_, text_of(failure));
    session_.close(1011);
}

task<void> thread_socket::send_events()
{
    for (;;) {
        while (!waiting_.empty()) {
            subscription next = std::move(waiting_.front());
            waiting_.pop_front();
            co_await replay(std::move(next));
        }
        std::string lines;
        while (lines.size() < batch_bytes) {
            const tape_entry* const entry = reader_->next();
            if (!entry) break;
            frames_.append(lines, *entry);
        }
        if (!lines.empty()) {
            co_await send_lines(std::move(lines));
        } else if (reader_->is_at_end()) {
            co_return;
        } else {
            co_await reader_->wait(rest);
        }
    }
}

/** What has happened before a subscription that is not the first, up to where the others are. */
task<void> thread_socket::replay(subscription what)
{
    thread_frames before{what.filter, thread_frames::form::lines};
    tape_reader from_there{tape_, what.since};
    catching_up_ = what.id;
    bool has_more = true;
    while (has_more && !catching_up_.empty()) {
        std::string lines;
        while (lines.size() < batch_bytes) {
            const tape_entry* const entry = from_there.next();
            has_more = entry && entry->sequence <= reader_->seen();
            if (!has_more) break;
            before.append(lines, *entry);
        }
        co_await send_lines(std::move(lines));
    }
    if (!std::exchange(catching_up_, {}).empty()) frames_.add(std::move(what.id), std::move(what.filter));
}

task<void> thread_socket::send_lines(std::string lines)
{
    std::size_t at = 0;
    while (at < lines.size()) {
        const std::size_t end = lines.find('\n', at);
        std::string frame = lines.substr(at, end - at);
        co_await session_.send(std::move(frame));
        at = end + 1;
    }
}

}  // namespace weft::serve_detail
