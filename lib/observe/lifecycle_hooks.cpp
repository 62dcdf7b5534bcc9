#include <weft/observe/lifecycle_hooks.hpp>

#include <array>
#include <atomic>
#include <exception>
#include <utility>
#include <vector>

namespace weft {

namespace {

enum class life : std::size_t { start, resume, end, error, interrupt, cancel, state_update, checkpoint, count };

}  // namespace

struct lifecycle_hooks::part {
    [[nodiscard]] std::vector<hook>& of(life what) noexcept { return hooks[static_cast<std::size_t>(what)]; }
    void call(life what, const lifecycle_moment& moment)
    {
        for (const hook& one : of(what)) {
            try {
                one(moment);
            } catch (const std::exception&) {
                failures.fetch_add(1, std::memory_order_relaxed);  // told by `failures`
            }
        }
    }

    std::array<std::vector<hook>, static_cast<std::size_t>(life::count)> hooks;
    std::atomic<std::uint64_t> failures{0};
};

namespace {

/** Of one run: makes moments of its events. */
template <class Part>
class life_of_run {
public:
    life_of_run(std::shared_ptr<Part> hooks, std::string thread, bool is_resumed, run_request::event_function first)
        : hooks_{std::move(hooks)}, thread_{std::move(thread)}, is_resumed_{is_resumed}, first_{std::move(first)}
    {
    }

    void operator()(const run_event& event)
    {
        // The hooks first: what the other watcher throws must not keep them from being called.
        tell(event);
        if (first_) first_(event);
    }

private:
    void tell(const run_event& event)
    {
        using kind = run_event::kind;
        const bool is_own = event.address.empty();
        switch (event.what) {
        case kind::run_started:
            if (is_own) call(is_resumed_ ? life::resume : life::start, event, {});
            return;
        case kind::node_failed: last_failure_ = event.text; return;
        case kind::question_asked: return call(life::interrupt, event, event.text);
        case kind::state_written: return call(life::state_update, event, {});
        case kind::run_paused:
            if (is_own) call(life::interrupt, event, {});
            return;
        case kind::run_finished:
            if (!is_own) return;
            if (event.text == "finished") return call(life::end, event, {});
            return call(event.text == "cancelled" ? life::cancel : life::error, event, last_failure_);
        default: return;
        }
    }
    void call(life what, const run_event& event, std::string_view text)
    {
        hooks_->call(what, {thread_, event.node, text, &event, nullptr});
    }

    std::shared_ptr<Part> hooks_;
    std::string thread_;
    bool is_resumed_;
    run_request::event_function first_;
    std::string last_failure_;
};

}  // namespace

lifecycle_hooks::lifecycle_hooks() : part_{std::make_shared<part>()} {}

lifecycle_hooks& lifecycle_hooks::on_start(hook f) { return part_->of(life::start).push_back(std::move(f)), *this; }
lifecycle_hooks& lifecycle_hooks::on_resume(hook f) { return part_->of(life::resume).push_back(std::move(f)), *this; }
lifecycle_hooks& lifecycle_hooks::on_end(hook f) { return part_->of(life::end).push_back(std::move(f)), *this; }
lifecycle_hooks& lifecycle_hooks::on_error(hook f) { return part_->of(life::error).push_back(std::move(f)), *this; }
lifecycle_hooks& lifecycle_hooks::on_cancel(hook f) { return part_->of(life::cancel).push_back(std::move(f)), *this; }
lifecycle_hooks& lifecycle_hooks::on_interrupt(hook f)
{
    return part_->of(life::interrupt).push_back(std::move(f)), *this;
}
lifecycle_hooks& lifecycle_hooks::on_state_update(hook f)
{
    return part_->of(life::state_update).push_back(std::move(f)), *this;
}
lifecycle_hooks& lifecycle_hooks::on_checkpoint(hook f)
{
    return part_->of(life::checkpoint).push_back(std::move(f)), *this;
}

run_request lifecycle_hooks::attach(run_request request) const
{
    if (!part_->of(life::checkpoint).empty()) {
        run_options options = request.limits();
        run_options::save_function first = options.on_save() ? *options.on_save() : run_options::save_function{};
        options.on_save([hooks = part_, thread = request.thread(), first = std::move(first)](const frontier& where) {
            if (first) first(where);
            hooks->call(life::checkpoint, {thread, {}, {}, nullptr, &where});
        });
        request.options(std::move(options));
    }
    run_request::event_function first = request.watcher() ? *request.watcher() : run_request::event_function{};
    // One watcher a run: `last_failure_` and whether it was resumed belong to the run, the hooks to all.
    life_of_run watcher{part_, request.thread(), request.resumed_from() != nullptr, std::move(first)};
    request.on_event(std::move(watcher));
    return request;
}

std::uint64_t lifecycle_hooks::failures() const noexcept { return part_->failures.load(std::memory_order_relaxed); }

}  // namespace weft
