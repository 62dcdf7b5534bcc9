#include <weft/agent/host/execution_stream.hpp>

#include <weft/agent/host/bus_events.hpp>
#include <weft/async/scope.hpp>
#include <weft/base/error.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

bool has_fatal_text(std::string_view message) noexcept
{
    // Failures that event loops tell by text alone: another attempt of the same run would end in the same way.
    constexpr std::string_view words[] = {"Node stalled", "Ghost empty stream", "Max iterations (",
                                          "Judge escalated: ", "Escalated: "};
    return std::any_of(std::begin(words), std::end(words),
                       [message](std::string_view one) { return message.find(one) != std::string_view::npos; });
}

}  // namespace

bool is_fatal_failure(const failure& why) noexcept
{
    switch (why.code) {
    case errc::model_unauthorized:
    case errc::model_not_found:
    case errc::model_rejected:
    case errc::model_quota_exhausted:
    case errc::mcp_unauthorized:
    case errc::invalid_configuration:
    case errc::budget_exhausted:
    case errc::unknown_state_key:
    case errc::state_type_mismatch:
    case errc::graph_changed: return true;
    default: return has_fatal_text(why.message);
    }
}

execution_stream::execution_stream(serial_loop& loop, std::string name, runner how, execution_stream_options options)
    : loop_{loop}, name_{std::move(name)}, how_{std::move(how)}, options_{std::move(options)},
      ids_{loop.clock(), loop.random()}, news_{make_counted<remote_signal>()}
{
}

std::string execution_stream::execute(run_request request)
{
    forget_old();
    auto made = std::make_shared<execution>();
    made->id = ids_.next().text();
    known_.push_back(made);
    // One run waits at most, the newest: what came before it was never begun, and is told so.
    if (next_) end(*next_->of, "another run came before it began");
    next_.emplace(made, std::move(request));
    if (running_) running_->request_stop();
    news_->notify();
    return made->id;
}

bool execution_stream::stop()
{
    const bool is_there = is_active();
    if (next_) end(*next_->of, "it was stopped before it began");
    next_.reset();
    is_stop_wanted_ = current_ != nullptr;
    if (running_) running_->request_stop();
    news_->notify();
    return is_there;
}

void execution_stream::close()
{
    is_closed_ = true;
    news_->notify();
}

const execution* execution_stream::find(std::string_view id) const noexcept
{
    const auto found = std::find_if(known_.begin(), known_.end(),
                                    [id](const std::shared_ptr<execution>& one) { return one->id == id; });
    return found == known_.end() ? nullptr : found->get();
}

void execution_stream::forget_old()
{
    const time_point now = loop_.now();
    const auto is_old = [&](const std::shared_ptr<execution>& one) {
        return one->at == execution::phase::ended && now - one->ended > options_.results_kept;
    };
    std::erase_if(known_, is_old);
    // The run under way and the one behind it are always known, whatever the limit says.
    while (known_.size() >= std::max<std::size_t>(options_.results_max, 2) &&
           known_.front()->at == execution::phase::ended)
        known_.pop_front();
}

void execution_stream::end(execution& one, std::string problem)
{
    if (one.at == execution::phase::ended) return;
    one.at = execution::phase::ended;
    one.ended = loop_.now();
    if (!one.result && one.problem.empty()) one.problem = std::move(problem);
    last_end_ = one.ended;
}

void execution_stream::tell(const execution& one, std::string type, std::string text) const
{
    if (!options_.bus) return;
    bus_event told{std::move(type), boost::json::object{{"text", text}, {"resurrections", one.resurrections}}};
    told.stream = name_;
    told.execution = one.id;
    told.graph = options_.graph;
    options_.bus->publish(std::move(told));
}

bool execution_stream::deserves_another(const execution& one) const noexcept
{
    if (is_wanted_elsewhere() || one.resurrections >= options_.resurrections_max) return false;
    return one.result && one.result->status == run_status::failed &&
           !(one.result->why && is_fatal_failure(*one.result->why));
}

task<void> execution_stream::run_into(task<run_result> work, execution& into)
{
    std::string problem;
    try {
        run_result made = co_await std::move(work);
        into.result.emplace(std::move(made));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        problem = e.what();
    }
    if (!problem.empty()) into.problem = std::move(problem);
}

task<void> execution_stream::attempt(const order& what)
{
    const task_context& context = co_await this_task::context();
    execution& one = *what.of;
    run_request request = what.request;
    if (options_.bus && !request.watcher()) {
        bus_source source;
        source.stream = name_;
        source.execution = one.id;
        source.graph = options_.graph;
        request.on_event(publishes_to(*options_.bus, std::move(source)));
    }
    one.result.reset();
    scope inner{context};
    running_ = &inner;
    struct no_longer {
        scope*& running;
        ~no_longer() { running = nullptr; }
    } const mark{running_};
    inner.spawn(run_into(how_(std::move(request)), one));
    co_await inner.join();
}

/** Waits until a failed run may begin again. @return False if something else is to be done first. */
task<bool> execution_stream::cool_down()
{
    const time_point until = loop_.now() + options_.cooldown;
    while (loop_.now() < until && !is_wanted_elsewhere()) static_cast<void>(co_await news_->wait_until(until));
    co_return !is_wanted_elsewhere();
}

task<void> execution_stream::run_order(order what)
{
    execution& one = *what.of;
    one.at = execution::phase::running;
    for (;;) {
        co_await attempt(what);
        if (!deserves_another(one)) break;
        tell(one, "execution_resurrecting", one.result->message());
        const bool may_go_on = co_await cool_down();
        if (!may_go_on) break;
        ++one.resurrections;
        tell(one, "execution_resurrected", {});
    }
}

task<void> execution_stream::work()
{
    struct over {
        execution_stream& stream;
        ~over()
        {
            if (!stream.current_) return;
            stream.end(*stream.current_, "it was stopped");
            stream.current_.reset();
            stream.is_stop_wanted_ = false;
        }
    };
    for (;;) {
        if (next_) {
            order what = std::move(*next_);
            next_.reset();
            current_ = what.of;
            const over mark{*this};
            co_await run_order(std::move(what));
            continue;
        }
        if (is_closed_) co_return;
        co_await news_->wait();
    }
}

}  // namespace weft
