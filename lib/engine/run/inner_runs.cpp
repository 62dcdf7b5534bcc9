#include "inner_runs.hpp"

#include "run.hpp"
#include "run_awaiter.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace weft {

namespace {

any_state_key key_at(const state_layout& layout, std::uint32_t slot)
{
    return {layout[slot].name, hash_of_name(layout[slot].name), layout[slot].type};
}

/** Pairs of slots, inner and outer, between which values move. */
template <class Function>
void for_each_shared(const state_layout& inner, const state_layout& outer, Function function)
{
    for (std::uint32_t slot = 0; slot < inner.size(); ++slot) {
        const std::uint32_t other = outer.find(inner[slot].name);
        if (other != state_layout::none && outer[other].type->value == inner[slot].type->value) function(slot, other);
    }
}

/** Writes what an inner run has left, and says where the outer one goes on. */
command write_back(node_context& node, const subgraph& what, const state& left)
{
    const state_layout& inner = *what.graph.layout();
    const state_layout& outer = node.layout();
    if (what.is_mapped()) {
        for (const key_mapping& m : what.outputs)
            if (const value_ptr& value = left.at(inner.find(m.source)))
                node.write({outer.find(m.target), true, false, value});
    } else {
        for_each_shared(inner, outer, [&](std::uint32_t from, std::uint32_t to) {
            // What it began with: its node may be older than this attempt, if the run was paused inside.
            const value_ptr given = node.may_read(to) ? node.value_at(to) : nullptr;
            if (left.at(from) != given && node.may_write(to)) node.write({to, true, false, left.at(from)});
        });
    }
    return what.take_outputs ? what.take_outputs(left, node) : command::next();
}

}  // namespace

void inner_runs::give_input(run_request& request, const node_context& node, const subgraph& what,
                            branch_index branch) const
{
    if (auto from = core_.scheduler().where().inner_of(branch)) {
        request.resume(std::move(from));
        return;
    }
    const state_layout& inner = *what.graph.layout();
    const state_layout& outer = node.layout();
    state_update first;
    const auto give = [&](std::uint32_t to, std::uint32_t from) {
        if (const value_ptr& value = node.value_at(from)) first.items().push_back({key_at(inner, to), value, true});
    };
    if (what.is_mapped())
        for (const key_mapping& m : what.inputs) give(inner.find(m.target), outer.find(m.source));
    else
        for_each_shared(inner, outer, [&](std::uint32_t to, std::uint32_t from) {
            if (node.may_read(from)) give(to, from);
        });
    state_update made = what.make_inputs ? what.make_inputs(node) : state_update{};
    for (state_update::item& item : made.items()) first.items().push_back(std::move(item));
    request.input(std::move(first));
}

// Where the inner run stands is kept with the run around it.
void inner_runs::save_with_outer(run_options& options, branch_index branch)
{
    options.on_save({}).save_nowhere();
    run_core& core = core_;
    if (core.request.limits().on_save())
        options.on_save([&core, branch](const frontier& where) {
            core.scheduler().restart().note_inner(branch, std::make_shared<const frontier>(where));
            core.save(action{});
        });
    if (!core.extras->saving || !core.extras->saving->options().has_steps()) return;
    // Without its own end: that is a step of the outer run, which is saved anyway.
    save_options saving{std::make_shared<inner_saver>(*core.extras->saving, branch)};
    saving.is_before_nodes = core.extras->saving->options().is_before_nodes;
    saving.is_within_node = true;
    options.save_by(std::move(saving));
}

// Events of the inner run are events of the outer one, with the node's name, visit and attempt in front.
void inner_runs::forward_events(run_request& request, const node_context& node)
{
    // An inner run that is not watched makes no events.
    if (!core_.events) return;
    request.identity(core_.identity_at(core_.loop.now()));
    const auto seen_from_outside = [via = std::string{node.node()}, visit = std::to_string(node.visit()),
                                    attempt = std::to_string(node.attempt())](const run_event& inside) {
        run_event event = inside;
        event.address = via + (inside.address.empty() ? "" : "/" + inside.address);
        event.address_visits = visit + (inside.address.empty() ? "" : "/" + inside.address_visits);
        event.address_attempts = attempt + (inside.address.empty() ? "" : "/" + inside.address_attempts);
        return event;
    };
    request.on_event([&events = *core_.events, seen_from_outside](const run_event& inside) {
        events.emit(seen_from_outside(inside));
    });
    if (const run_request::writes_function* const amend = core_.request.amender())
        request.amend_writes([amend, seen_from_outside](const run_event& visit, write_set& writes) {
            return (*amend)(seen_from_outside(visit), writes);
        });
}

run_request inner_runs::request_for(const node_context& node, const subgraph& what, branch_index branch)
{
    run_request request{std::string{core_.thread()}};
    request.in_thread(std::string{core_.thread()}, std::string{core_.tenant()});
    if (const auto trace = core_.trace(node)) request.trace(*trace);
    run_options options = core_.request.limits();
    // The time of the outer run includes that of its nodes, and its ledger is charged for what they spend: a limit of
    // their own would count both twice.
    options.steps_max(what.steps_max).elapsed_max(std::chrono::nanoseconds{0});
    options.budget({}).draws_on(core_.budget());
    if (what.at_limit) options.at_limit(*what.at_limit);
    save_with_outer(options, branch);
    request.options(std::move(options)).pause(core_.request.pause_token());
    give_input(request, node, what, branch);
    forward_events(request, node);
    return request;
}

void inner_runs::pause_all()
{
    for (std::size_t left = inner_.size(); left > 0; --left) {  // backwards: what ends at once is taken out
        if (left > inner_.size()) continue;
        if (run* const inner = inner_[left - 1].running) inner->pause();
    }
}

bool inner_runs::pause_in(branch_index branch)
{
    for (const inner_run& inner : inner_)
        if (inner.branch == branch && inner.running) {
            inner.running->pause();
            return true;
        }
    return false;
}

void inner_runs::note_places()
{
    if (!core_.scheduler().restart().is_left()) return;
    for (const inner_run& inner : inner_) {
        if (!inner.running) continue;
        // Innermost first: the frontier that is copied next holds those inside it.
        if (inner.running->extras) inner.running->extras->inner.note_places();
        const frontier& stands = inner.running->scheduler().restart().to_save();
        core_.scheduler().restart().note_inner(inner.branch, std::make_shared<const frontier>(stands));
    }
}

// Where a resume goes on within a node whose graph has ended: if it has come to its end nowhere, for what fails then is
// the node. Inputs that are wrong may be right when the node begins again.
void inner_runs::note_end(branch_index branch, run& inner, const run_result& result)
{
    std::shared_ptr<const frontier> left;
    switch (result.status) {
    case run_status::finished:
        if (core_.scheduler().at(branch).is_stopping) return;  // the node counts as stopped, where it was when it was
        break;
    case run_status::paused: left = result.paused_at; break;
    case run_status::failed:
    case run_status::cancelled:
        if (!inner.extras->mistake) left = inner.scheduler().restart().take();
        break;
    }
    core_.scheduler().restart().note_inner(branch, std::move(left));
}

std::shared_ptr<const frontier> inner_runs::take_paused(branch_index branch)
{
    const auto found =
        std::find_if(inner_.begin(), inner_.end(), [branch](const auto& each) { return each.branch == branch; });
    if (found == inner_.end()) return nullptr;
    std::shared_ptr<const frontier> paused = std::move(found->paused);
    inner_.erase(found);
    return paused;
}

task<command> inner_runs::run_inside(node_context& node, const subgraph& what)
{
    const branch_index branch = core_.nodes.branch_of(node);
    const intrusive_ptr<run> inner{new run{what.graph, core_.loop, request_for(node, what, branch)}};
    inner->lie_within(core_, branch);
    inner_.push_back({branch, inner.get(), nullptr});
    struct forget {
        std::vector<inner_run>& all;
        const run* ended;
        ~forget() { std::erase_if(all, [this](const auto& each) { return each.running == ended; }); }
    };
    // The awaiter passes a stop of the node on to the inner run, which ends its own nodes in order.
    run_awaiter running{inner};
    run_result result;
    {
        // Also when the node is destroyed while it waits.
        const forget at_end{inner_, inner.get()};
        result = co_await running;
    }
    note_end(branch, *inner, result);
    switch (result.status) {
    case run_status::paused: inner_.push_back({branch, nullptr, std::move(result.paused_at)}); break;
    case run_status::cancelled:
        // What was done is not lost with a stop: the node may keep a part of it.
        if (what.take_partial) what.take_partial(result.state, node);
        throw error{errc::cancelled};
    case run_status::failed:
        throw error{result.why->code, "graph '" + std::string{what.graph.name()} + "'", result.why->message};
    case run_status::finished: break;
    }
    command answer = result.status == run_status::finished ? write_back(node, what, result.state) : command::next();
    co_return answer;
}

}  // namespace weft
