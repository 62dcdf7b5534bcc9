#include "run_awaiter.hpp"
#include "run_rare_part.hpp"

#include <weft/base/error.hpp>
#include <weft/store/item_space.hpp>

#include <algorithm>
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

}  // namespace

token_index run::token_of(const node_context& context) const noexcept
{
    const auto found = std::find_if(at_work_.begin(), at_work_.end(),
                                    [&](node_run* work) { return work && &work->context() == &context; });
    return static_cast<token_index>(found - at_work_.begin());
}

run_request run::inner_request(const node_context& node, const subgraph& what, token_index token)
{
    run_request request{std::string{thread()}};
    const state_layout& inner = *what.graph().layout();
    const state_layout& outer = node.layout();
    state_update first;
    const auto give = [&](std::uint32_t to, std::uint32_t from) {
        if (const value_ptr& value = node.value_at(from)) first.items().push_back({key_at(inner, to), value, true});
    };
    if (what.is_mapped())
        for (const key_mapping& m : what.inputs()) give(inner.find(m.target), outer.find(m.source));
    else
        for_each_shared(inner, outer, [&](std::uint32_t to, std::uint32_t from) {
            if (node.may_read(from)) give(to, from);
        });
    run_options limits = request_.limits();
    limits.steps_max(what.steps_max()).elapsed_max(std::chrono::nanoseconds{0}).on_save({});
    limits.budget({}).draws_on(budget());
    if (what.at_limit()) limits.at_limit(*what.at_limit());
    if (request_.limits().on_save())
        limits.on_save([this, token](const frontier& where) {
            scheduler_.note_inner(token, std::make_shared<const frontier>(where));
            save(action{});
        });
    limits.keep_by_nobody();
    if (rare_ && rare_->saving && rare_->saving->how().has_steps()) {
        run_keeping how{std::make_shared<inner_keeper>(*this, token)};
        limits.keep_by(how.before_nodes(rare_->saving->how().is_before_nodes()).without_end());
    }
    request.options(std::move(limits)).pause(request_.pause_token());
    if (auto from = scheduler_.inner_of(token)) {
        request.resume(std::move(from));
    } else {
        state_update made = what.make_inputs() ? what.make_inputs()(node) : state_update{};
        for (state_update::item& item : made.items()) first.items().push_back(std::move(item));
        request.input(std::move(first));
    }
    if (is_watched()) request.identity(identity(loop_.now()));
    if (is_watched())
        request.on_event([this, via = std::string{node.node()},
                                     visit = std::to_string(node.visit()),
                                     attempt = std::to_string(node.attempt())](const run_event& inside) {
            run_event event = inside;
            event.address = via + (inside.address.empty() ? "" : "/" + inside.address);
            event.address_visits = visit + (inside.address.empty() ? "" : "/" + inside.address_visits);
            event.address_attempts = attempt + (inside.address.empty() ? "" : "/" + inside.address_attempts);
            tell(std::move(event));
        });
    return request;
}

command run::write_back(node_context& node, const subgraph& what, const state& left) const
{
    const state_layout& inner = *what.graph().layout();
    const state_layout& outer = node.layout();
    if (what.is_mapped()) {
        for (const key_mapping& m : what.outputs())
            if (const value_ptr& value = left.at(inner.find(m.source)))
                node.write({outer.find(m.target), true, false, value});
    } else {
        for_each_shared(inner, outer, [&](std::uint32_t from, std::uint32_t to) {
            // What it began with: its node may be older than this attempt, if the run was paused inside.
            const value_ptr given = node.may_read(to) ? node.value_at(to) : nullptr;
            if (left.at(from) != given && node.may_write(to)) node.write({to, true, false, left.at(from)});
        });
    }
    return what.take_outputs() ? what.take_outputs()(left, node) : command::next();
}

std::string run::purpose() const
{
    std::string own = graph_.purpose();
    if (own.empty() && rare_ && rare_->outer) return rare_->outer->purpose();
    return own;
}

std::shared_ptr<const item_space> run::memory(const node_context& from) const
{
    std::shared_ptr<const item_space> whole = request_.limits().memory();
    if (whole && rare_ && rare_->outer)  // that of the node around, whose graph may say which
        whole = rare_->outer->memory(rare_->outer->at_work_[rare_->outer_token]->context());
    const graph_memory* const own = graph_.memory();
    if (!whole || !own) return whole;
    const item_limits limits{own->items_max, own->value_bytes_max, own->keep_for};
    return std::make_shared<const item_space>(whole->below(scope_of(*own, from)).limited(limits));
}

/** So that a run that is broken off knows where the graphs inside of its nodes stand that are at work. */
void run::note_inner_places()
{
    if (!rare_ || !scheduler_.leaves_restart()) return;
    for (const rare_part::inner_run& inner : rare_->inner) {
        if (!inner.at_work) continue;
        inner.at_work->note_inner_places();
        scheduler_.note_inner(inner.token, std::make_shared<const frontier>(inner.at_work->scheduler_.to_save()));
    }
}

/** Where a resume goes on inside of a node whose graph has ended: of one that has come to its end nowhere, for what
 *  fails then is the node. Inputs that are wrong may be right when the node begins again. */
void run::note_inner_end(token_index token, run& inner, const run_result& result)
{
    std::shared_ptr<const frontier> left;
    switch (result.status) {
    case run_status::finished:
        if (scheduler_.at(token).is_stopping) return;  // the node counts as stopped, where it was when it was
        break;
    case run_status::paused: left = result.paused_at; break;
    case run_status::failed:
    case run_status::cancelled:
        if (!inner.rare_->mistake) left = inner.scheduler_.take_restart();
        break;
    }
    scheduler_.note_inner(token, std::move(left));
}

/** Where the graph inside of a node stands that has ended paused; null of any other node. */
std::shared_ptr<const frontier> run::take_paused_inner(token_index token)
{
    auto& all = rare_->inner;
    const auto found = std::find_if(all.begin(), all.end(), [token](const auto& each) { return each.token == token; });
    if (found == all.end()) return nullptr;
    std::shared_ptr<const frontier> paused = std::move(found->paused);
    all.erase(found);
    return paused;
}

task<command> run::run_inside(node_context& node, const subgraph& what)
{
    const token_index token = token_of(node);
    const intrusive_ptr<run> inner{new run{what.graph(), loop_, inner_request(node, what, token)}};
    inner->lie_within(*this, token);
    rare().inner.push_back({token, inner.get(), nullptr});
    struct forget {
        std::vector<rare_part::inner_run>& all;
        const run* ended;
        ~forget() { std::erase_if(all, [this](const auto& each) { return each.at_work == ended; }); }
    };
    run_awaiter running{inner};
    run_result result;
    {
        const forget at_end{rare_->inner, inner.get()};
        result = co_await running;
    }
    note_inner_end(token, *inner, result);
    switch (result.status) {
    case run_status::paused: rare_->inner.push_back({token, nullptr, std::move(result.paused_at)}); break;
    case run_status::cancelled:
        if (what.take_partial()) what.take_partial()(result.state, node);
        throw error{errc::cancelled};
    case run_status::failed:
        throw error{result.why->code, "graph '" + std::string{what.graph().name()} + "'", result.why->message};
    case run_status::finished: break;
    }
    command answer = result.ok() ? write_back(node, what, result.state) : command::next();
    co_return answer;
}

}  // namespace weft
