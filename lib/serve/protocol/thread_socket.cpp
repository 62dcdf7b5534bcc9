#include "thread_socket.hpp"

#include "serve/http/refusal.hpp"
#include "serve/run/open_stream.hpp"
#include "serve/run/run_history.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <boost/json/serialize.hpp>

#include <chrono>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

const channel_fields subscribe_params{"params"};
const subscription_fields unsubscribe_params{"params"};

constexpr std::size_t batch_bytes = 32 * 1024;     // of frames that are made before they are sent
constexpr std::size_t subscriptions_max = 64;      // of a client; hooks have two
constexpr std::chrono::minutes silence_max{1};     // the session itself looks for signs of life

/** The number of the frame that the client has seen last; 0: none. */
std::uint64_t seen_before(const boost::json::object& params)
{
    return static_cast<std::uint64_t>(subscribe_params.since.in(params).value_or(0));
}

}  // namespace

thread_socket::thread_socket(serve_core& core, websocket_session session, command_caller caller)
    : core_{core}, session_{session}, caller_{std::move(caller)}
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
    const boost::json::value* const id = given.get_object().if_contains(thread_command_of_message().id.name());
    boost::json::value same_id = id ? *id : boost::json::value{nullptr};
    connection_commands own = [this](std::string method, boost::json::object params) {
        return own_command(std::move(method), std::move(params));
    };
    std::exception_ptr failure;
    boost::json::object answered;
    try {
        answered = co_await answer_command(core_, caller_, std::move(given.get_object()), std::move(own));
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return answered;
    // A client that goes away while events are sent to it is no failure of the server.
    if (code_of(failure) == errc::cancelled || !session_.is_open()) std::rethrow_exception(failure);
    core_.tell_error("a command of thread " + caller_.thread.thread, text_of(failure));
    co_return command_fault(std::move(same_id), "unknown_error", refusal_for(failure).message);
}

task<std::optional<boost::json::object>> thread_socket::own_command(std::string method, boost::json::object params)
{
    boost::json::object result;
    if (method == "subscription.subscribe")
        result = co_await subscribe(std::move(params));
    else if (method == "subscription.unsubscribe")
        result = unsubscribe(params);
    else if (method == "subscription.reconnect")
        result["restored"] = false;  // subscriptions end with their connection: the client makes them again
    else
        co_return std::nullopt;
    co_return std::move(result);
}

/** Appends what the client has missed. @return  False if there is no more of it. */
bool thread_socket::append_past(std::string& lines, tape_reader& past, thread_frames& frames)
{
    while (lines.size() < batch_bytes) {
        if (reader_ && past.seen() >= reader_->seen()) return false;
        const tape_entry* const entry = past.next();
        if (!entry) return false;
        frames.append(lines, *entry);
    }
    return true;
}

task<boost::json::object> thread_socket::subscribe(boost::json::object params)
{
    if (subscriptions_ >= subscriptions_max)
        throw command_error{"invalid_argument", "a connection has at most " + std::to_string(subscriptions_max) +
                                                    " subscriptions"};
    channel_filter filter = channel_filter::read(params, subscribe_params);
    // A tape that has no reader yet may have been forgotten, and another one be in its place.
    if (!reader_) tape_ = co_await whole_tape_of(core_, caller_.thread);
    thread_frames frames{filter, thread_frames::form::lines};
    frames.set_thread(caller_.thread.thread);
    frames.set_clock(core_.loop.clock());
    tape_reader past{tape_, frames.go_on_behind(*tape_, seen_before(params))};
    std::size_t sent = 0;
    std::string lines;
    // The others go on while this one is sent what they have had, until nothing is missing at one moment.
    for (bool has_more = true; has_more || !lines.empty();) {
        lines.clear();
        has_more = append_past(lines, past, frames);
        if (lines.empty()) continue;
        const std::size_t count = co_await send_lines(lines);
        sent += count;
    }
    const std::string id = std::to_string(++last_id_);
    ++subscriptions_;
    if (!reader_) {
        frames_.emplace(std::move(frames));
        frames_->remove("");
        reader_.emplace(tape_, past.seen());
        children_->spawn(tell_events());
    }
    frames_->add(id, std::move(filter));
    boost::json::object result;
    result["subscription_id"] = id;
    result["replayed_events"] = sent;
    co_return result;
}

boost::json::object thread_socket::unsubscribe(const boost::json::object& params)
{
    const std::string id = unsubscribe_params.id.needed_in(params);
    if (!frames_ || !frames_->remove(id))
        throw command_error{"no_such_subscription", "there is no subscription '" + id + "'"};
    --subscriptions_;
    return {};
}

/** The events of the client, until the tape is closed or the client gone. */
task<void> thread_socket::tell_events()
{
    const open_stream counted{core_, "langgraph"};
    std::exception_ptr failure;
    try {
        co_await send_events();
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure || !session_.is_open()) co_return;
    core_.tell_error("events of thread " + caller_.thread.thread, text_of(failure));
    session_.close(1011);
}

task<void> thread_socket::send_events()
{
    for (;;) {
        std::string lines;
        while (lines.size() < batch_bytes) {
            const tape_entry* const entry = reader_->next();
            if (!entry) break;
            frames_->append(lines, *entry);
        }
        if (!lines.empty()) {
            (void)co_await send_lines(std::move(lines));
        } else if (reader_->is_at_end()) {
            co_return;
        } else {
            co_await reader_->wait(silence_max);
        }
    }
}

/** @return  How many there were. */
task<std::size_t> thread_socket::send_lines(std::string lines)
{
    std::size_t count = 0;
    for (std::size_t at = 0; at < lines.size(); ++count) {
        const std::size_t end = lines.find('\n', at);
        std::string frame = lines.substr(at, end - at);
        co_await session_.send(std::move(frame));
        at = end + 1;
    }
    co_return count;
}

}  // namespace weft::serve_detail
