#include "save_pipeline.hpp"

#include "run_core.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

bool is_end(checkpoint_kind kind)
{
    return kind == checkpoint_kind::pause || kind == checkpoint_kind::cancel || kind == checkpoint_kind::finish;
}

}  // namespace

void add_saves(schedule_limits& limits, const save_options& options)
{
    if (options.mode == durability::off) return;
    limits.saves |= options.has_steps();
    limits.saves_starts = options.has_steps() && options.is_before_nodes;
    limits.saves_end = options.has_end();
    limits.holds_for_save = true;
}

save_pipeline::save_pipeline(run_core& core, const save_options& options)
    : core_{core}, options_{options}, queue_{options}, context_{&core.loop, &scope_}
{
}

void save_pipeline::save(const frontier& where, checkpoint_kind kind, std::string_view node)
{
    if (is_given_up_) return;
    // Numbered, so that nodes inside can wait until a save that has theirs is written.
    ++begun_;
    inner_change inner = std::exchange(inner_, inner_change{});
    const bool is_inside = kind == checkpoint_kind::node_complete && !inner.outer.empty() && inner.outer == node;
    // A copy of the frontier, whose state is shared: the run goes on while it is written.
    items_.push_back({where, is_inside ? inner.kind : kind, is_inside ? std::move(inner.node) : std::string{node}});
    options_.saver->begin_save();
    const bool goes_on = queue_.admit(is_end(kind));
    write_next();
    if (goes_on && !is_given_up_) report();
}

void save_pipeline::write_next()
{
    // A loop, since a saver may answer in its call: a thousand saves in memory must not be a thousand calls deep.
    while (!is_writing_ && !is_given_up_ && !items_.empty()) {
        item& next = items_.front();
        is_writing_ = true;
        node_ = next.node;
        writing_ = options_.saver->save(std::move(next.where), next.kind, std::move(next.node));
        items_.pop_front();
        if (!writing_.start(context_, &save_pipeline::on_done, this)) return;
        ended();
    }
}

void save_pipeline::on_done(void* self)
{
    auto& saving = *static_cast<save_pipeline*>(self);
    const intrusive_ptr<run_core> alive{&saving.core_};
    saving.ended();
    saving.write_next();
}

// The saver has kept what it was given, or failed.
void save_pipeline::ended()
{
    const std::exception_ptr error = writing_.exception();
    writing_.reset();
    is_writing_ = false;
    if (is_given_up_) return;
    // The first save that fails ends the run; those behind it are void, since each builds on the one before.
    if (error && !options_.is_best_effort) return fail(error, node_);
    if (error) ++failures_;
    if (queue_.saved()) report();
}

void save_pipeline::report()
{
    reported_ = begun_;
    for (waiting_node* node : *waiting_)
        if (node->number <= reported_) node->news.notify();
    core_.scheduler().saved();
    core_.go_on();
}

void save_pipeline::fail(std::exception_ptr cause, const std::string& node)
{
    give_up();
    failure wrong;
    wrong.code = code_of(cause);
    wrong.node = node;
    wrong.message = (node.empty() ? std::string{"the run"} : "node '" + node + "'") + ": it could not be saved: " +
                    text_of(cause);
    wrong.cause = std::move(cause);
    core_.scheduler().save_failed(std::make_shared<const failure>(std::move(wrong)));
    core_.go_on();
}

void save_pipeline::give_up()
{
    is_given_up_ = true;
    items_.clear();
    // A save under way is stopped, not awaited: nothing follows from its outcome.
    scope_.request_stop();
}

void save_pipeline::destroy()
{
    give_up();
    writing_.reset();
}

task<void> save_pipeline::covered(std::uint64_t number)
{
    waiting_node mine{number, {}};
    struct entry {
        std::shared_ptr<waiting_nodes> all;
        waiting_node* node;
        ~entry() { std::erase(*all, node); }
    };
    // The list is shared, since the coroutine may be destroyed after the pipeline.
    waiting_->push_back(&mine);
    const entry registered{waiting_, &mine};
    while (reported_ < number) co_await mine.news.wait();
}

task<void> save_pipeline::save_inner(branch_index branch, std::shared_ptr<const frontier> where, checkpoint_kind kind,
                                     std::string node)
{
    const std::uint64_t next = begun_ + 1;
    std::string around{core_.graph.name_of(core_.scheduler().at(branch).node)};
    std::string inside = around + "/" + node;
    // One checkpoint says where the outer and the inner run stand; it has the name of what the inner one did.
    inner_ = {std::move(around), kind, std::move(inside)};
    core_.scheduler().restart().note_inner(branch, std::move(where));
    core_.scheduler().changed(checkpoint_kind::node_complete, core_.scheduler().at(branch).node);
    core_.go_on();
    co_await covered(next);
}

task<void> inner_saver::save(frontier where, checkpoint_kind kind, std::string node)
{
    return outer_.save_inner(branch_, std::make_shared<const frontier>(std::move(where)), kind, std::move(node));
}

}  // namespace weft
