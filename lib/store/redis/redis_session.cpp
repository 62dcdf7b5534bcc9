#include "redis_session.hpp"

#include "redis_failure.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace weft::redis_detail {

namespace {

constexpr std::size_t batch_bytes_max = 64 * 1024;
constexpr std::size_t greeting_bytes_max = 4 * 1024;

/** Writes the greeting, which holds the password, where it can be wiped: not into commands.
 *  @return The names of its commands. */
std::vector<std::string> write_greeting(const redis_options& options, std::string& to)
{
    std::vector<std::string> asked;
    to.reserve(greeting_bytes_max + options.password.reveal().size());
    const auto add = [&to](std::string_view argument) {
        to.append("$").append(std::to_string(argument.size())).append("\r\n").append(argument).append("\r\n");
    };
    if (!options.password.empty()) {
        to += options.user.empty() ? "*2\r\n" : "*3\r\n";
        add(asked.emplace_back("AUTH"));
        if (!options.user.empty()) add(options.user);
        add(options.password.reveal());
    }
    const auto ask = [&](redis_command command) {
        to += command.text();
        asked.push_back(command.name());
    };
    if (options.database != 0) ask(redis_command{"SELECT"}.add(options.database));
    if (!options.client_name.empty()) ask(redis_command{"CLIENT"}.add("SETNAME").add(options.client_name));
    if (asked.empty()) ask(redis_command{"PING"});
    return asked;
}

/** What a lost connection means to who needed it: whatever the wire called it. */
error unavailable(const error& cause)
{
    const bool is_ours = cause.code() == errc::store_unavailable || !is_passing(cause.code());
    return is_ours ? cause : error{errc::store_unavailable, cause.where(), cause.detail()};
}

}  // namespace

redis_session::redis_session(serial_loop& loop, std::shared_ptr<redis_shared> shared)
    : loop_{loop}, shared_{std::move(shared)},
      pipeline_{shared_->options.pending_max, shared_->options.pending_bytes_max}
{
    context_.loop = &loop;
    children_.emplace(context_, failure_policy::keep_going);
}

task<redis_value> redis_session::ask(redis_command command)
{
    const std::shared_ptr<redis_session> self = shared_from_this();
    const time_point began = loop_.now();
    redis_request request{pipeline_, loop_, command.text(), shared_->options.request_timeout};
    if (is_serving_)
        unsent_.notify();
    else
        children_->spawn(serve());
    co_await request.wait();
    if (!request.reply()) {
        // Nothing was heard for as long as a command may take: the next one must not go there.
        const bool is_late = !request.loss() && request.was_sent();
        if (is_late && link_ && link_->heard_at() <= began) link_->give_up();
        throw why_not(command, request);
    }
    ++shared_->answers;
    co_return std::move(*request.reply());
}

error redis_session::why_not(const redis_command& command, const redis_request& request) const
{
    const std::string during = "during " + command.name() + ": ";
    const std::optional<error>& loss = request.loss();
    if (!request.was_sent()) {
        if (loss) return unavailable(*loss);
        std::string detail = "no connection in time (request_timeout)";
        if (no_connection_) detail += "; the last attempt: " + no_connection_->detail();
        return error{errc::store_unavailable, shared_->endpoint, std::move(detail)};
    }
    const errc code = command.is_read() ? errc::store_unavailable : errc::store_outcome_unknown;
    return error{code, shared_->endpoint, during + (loss ? loss->detail() : "no answer in time (request_timeout)")};
}

task<void> redis_session::serve()
{
    is_serving_ = true;
    struct end {
        bool& flag;
        ~end() { flag = false; }
    } const mark{is_serving_};
    int failures = 0;
    for (;;) {
        while (!pipeline_.has_unsent()) co_await unsent_.wait();
        const bool was_useful = co_await serve_once();
        failures = was_useful ? 0 : failures + 1;
        if (failures == 0 || !pipeline_.has_unsent()) continue;
        co_await sleep_for(shared_->options.reconnect.delay_before(failures + 1, loop_.random().uniform()));
    }
}

/** One connection, from its beginning to its end. @return Whether it has answered a command. */
task<bool> redis_session::serve_once()
{
    was_useful_ = false;
    std::optional<error> failure;
    try {
        co_await open();
        no_connection_.reset();
        co_await converse(link_);
    } catch (const error& e) {
        failure = e;
    }
    const bool was_open = link_ != nullptr;
    if (link_) std::exchange(link_, nullptr)->close();
    if (!failure) failure.emplace(errc::connection_lost, shared_->endpoint, "the conversation ended");
    if (was_open) ++shared_->lost;
    no_connection_ = *failure;
    pipeline_.lose_sent(*failure);
    if (!is_passing(failure->code())) pipeline_.fail_unsent(*failure);
    co_return was_useful_;
}

task<void> redis_session::open()
{
    const redis_options& options = shared_->options;
    const time_point deadline = loop_.now() + options.connect_timeout;
    byte_stream stream = co_await shared_->opens(options.connect_timeout);
    redis_reply_limits limits;
    limits.reply_bytes_max = options.reply_bytes_max;
    auto link = std::make_shared<redis_link>(loop_, std::move(stream), shared_->endpoint, limits);
    link->expect_within(deadline - loop_.now());
    co_await greet(link);
    link->expect_nothing();
    ++shared_->connections;
    link_ = std::move(link);
}

/** Says who we are and what we want. There is always something to say, so that a server which takes connections and
 *  serves none is told from one that does. */
task<void> redis_session::greet(std::shared_ptr<redis_link> link)
{
    std::vector<std::string> asked = write_greeting(shared_->options, link->outgoing());
    co_await link->write();
    link->wipe_outgoing();
    for (const std::string& command : asked) {
        std::optional<redis_value> reply = link->next_reply();
        while (!reply) {
            co_await link->read();
            reply = link->next_reply();
        }
        if (!reply->is(redis_value::kind::error)) continue;
        // Who may not name its connections is served as well.
        if (command == "CLIENT" && reply->text.starts_with("NOPERM")) continue;
        throw refusal(shared_->endpoint, reply->text, shared_->options.password);
    }
}

task<void> redis_session::converse(std::shared_ptr<redis_link> link)
{
    const task_context& context = co_await this_task::context();
    scope both{context};
    both.spawn(write_commands(link));
    both.spawn(read_replies(link));
    co_await both.join();
}

task<void> redis_session::write_commands(std::shared_ptr<redis_link> link)
{
    for (;;) {
        while (!pipeline_.has_unsent()) co_await unsent_.wait();
        if (!link->is_open()) throw error{errc::connection_lost, shared_->endpoint, "the server did not answer"};
        if (!pipeline_.has_unanswered() && !link->is_quiet())
            throw error{errc::connection_lost, shared_->endpoint, "the server closed the unused connection"};
        pipeline_.take_batch(link->outgoing(), batch_bytes_max);
        link->expect_within(shared_->options.request_timeout);
        unanswered_.notify();
        co_await link->write();
        link->outgoing().clear();
    }
}

task<void> redis_session::read_replies(std::shared_ptr<redis_link> link)
{
    for (;;) {
        accept_replies(*link);
        while (!pipeline_.has_unanswered()) {
            link->expect_nothing();
            co_await unanswered_.wait();
        }
        co_await link->read();
        link->expect_within(shared_->options.request_timeout);
    }
}

void redis_session::accept_replies(redis_link& link)
{
    while (std::optional<redis_value> reply = link.next_reply()) {
        if (!pipeline_.settle(std::move(*reply)))
            throw error{errc::connection_lost, shared_->endpoint, "the server answered without a command"};
        was_useful_ = true;
    }
}

}  // namespace weft::redis_detail
