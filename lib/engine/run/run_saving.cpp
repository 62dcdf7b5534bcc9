#include "run_saving.hpp"

#include "run_rare_part.hpp"

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

void add_saves(schedule_limits& limits, const run_keeping& how)
{
    if (how.mode() == durability::off) return;
    limits.saves |= how.has_steps();
    limits.saves_starts = how.has_steps() && how.is_before_nodes();
    limits.saves_end = how.has_end();
    limits.holds_for_save = true;
}

run_saving::run_saving(run& owner, serial_loop& loop, const run_keeping& how)
    : owner_{owner}, how_{how}, queue_{how}, context_{&loop, &scope_}
{
}

void run_saving::save(const frontier& where, checkpoint_kind kind, std::string_view node)
{
    if (is_given_up_) return;
    ++begun_;
    inner_change inner = std::exchange(inner_, inner_change{});
    const bool is_inside = kind == checkpoint_kind::node_complete && !inner.outer.empty() && inner.outer == node;
    items_.push_back({where, is_inside ? inner.kind : kind, is_inside ? std::move(inner.node) : std::string{node}});
    how_.keeper()->begin_save();
    const bool goes_on = queue_.admit(is_end(kind));
    write_next();
    if (goes_on && !is_given_up_) report();
}

void run_saving::name_inner(std::string outer, checkpoint_kind kind, std::string inner)
{
    inner_ = {std::move(outer), kind, std::move(inner)};
}

void run_saving::write_next()
{
    while (!is_writing_ && !is_given_up_ && !items_.empty()) {
        item next = std::move(items_.front());
        items_.pop_front();
        is_writing_ = true;
        node_ = next.node;
        writing_ = how_.keeper()->keep(std::move(next.where), next.kind, std::move(next.node));
        if (!writing_.start(context_, &run_saving::on_done, this)) return;
        ended();
    }
}

void run_saving::on_done(void* self)
{
    auto& saving = *static_cast<run_saving*>(self);
    const intrusive_ptr<run> kept{&saving.owner_};
    saving.ended();
    saving.write_next();
}

/** The keeper has kept what it was given, or failed. */
void run_saving::ended()
{
    const std::exception_ptr error = writing_.exception();
    writing_.reset();
    is_writing_ = false;
    if (is_given_up_) return;
    if (error && !how_.is_best_effort()) return fail(error, node_);
    if (error) ++failures_;
    if (queue_.kept()) report();
}

void run_saving::report()
{
    reported_ = begun_;
    for (waiting_node* node : *waiting_)
        if (node->number <= reported_) node->news.notify();
    owner_.save_reported(nullptr);
}

void run_saving::fail(std::exception_ptr cause, const std::string& node)
{
    give_up();
    failure wrong;
    wrong.code = code_of(cause);
    wrong.node = node;
    wrong.message = (node.empty() ? std::string{"the run"} : "node '" + node + "'") + ": it could not be saved: " +
                    text_of(cause);
    wrong.cause = std::move(cause);
    owner_.save_reported(std::make_shared<const failure>(std::move(wrong)));
}

void run_saving::give_up()
{
    is_given_up_ = true;
    items_.clear();
    scope_.request_stop();
}

void run_saving::destroy()
{
    give_up();
    writing_.reset();
}

task<void> run_saving::covered(std::uint64_t number)
{
    waiting_node mine{number, {}};
    struct entry {
        std::shared_ptr<waiting_nodes> all;
        waiting_node* node;
        ~entry() { std::erase(*all, node); }
    };
    waiting_->push_back(&mine);
    const entry registered{waiting_, &mine};
    while (reported_ < number) co_await mine.news.wait();
}

task<void> inner_keeper::keep(frontier where, checkpoint_kind kind, std::string node)
{
    return outer_.keep_inner(token_, std::make_shared<const frontier>(std::move(where)), kind, std::move(node));
}

/** Where a graph inside of a node stands is kept with the next save. */
task<void> run::keep_inner(token_index token, std::shared_ptr<const frontier> where, checkpoint_kind kind,
                           std::string node)
{
    run_saving& saving = *rare_->saving;
    const std::uint64_t next = saving.begun() + 1;
    std::string around{graph_.name_of(scheduler_.at(token).node)};
    std::string inside = around + "/" + node;
    saving.name_inner(std::move(around), kind, std::move(inside));
    scheduler_.restart().note_inner(token, std::move(where));
    scheduler_.changed(checkpoint_kind::node_complete, scheduler_.at(token).node);
    pump();
    co_await saving.covered(next);
}

/** What a save came to: a failure, or null. */
void run::save_reported(failure_ptr cause)
{
    if (cause)
        scheduler_.save_failed(std::move(cause));
    else
        scheduler_.saved();
    pump();
}

void run::lose(failure_ptr cause)
{
    const intrusive_ptr<run> kept{this};
    if (rare_ && rare_->saving) rare_->saving->give_up();
    scheduler_.save_failed(std::move(cause));
    if (has_begun_) pump();
}

}  // namespace weft
