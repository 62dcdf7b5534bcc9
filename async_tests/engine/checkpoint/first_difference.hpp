#pragma once

#include <weft/base/error.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace weft {

namespace first_difference_detail {

/** Thrown at the first difference. */
struct difference {
    std::string where;
};

class frontier_comparison {
public:
    frontier_comparison(const graph& of, std::string place) : of_{of}, place_{std::move(place)} {}

    void compare(const frontier& a, const frontier& b) const
    {
        same(a.steps, b.steps, "steps");
        same(a.retries, b.retries, "retries");
        same(a.is_degraded, b.is_degraded, "is_degraded");
        visits(a, b);
        same(nodes_of(a.path), nodes_of(b.path), "path");
        state(a.root->root(), b.root->root());
        same(a.branches.size(), b.branches.size(), "branches");
        for (std::size_t i = 0; i < a.branches.size(); ++i) branches(a.branches[i], b.branches[i], at("branches", i));
        same(a.regions.size(), b.regions.size(), "regions");
        for (std::size_t i = 0; i < a.regions.size(); ++i) regions(a.regions[i], b.regions[i], at("regions", i));
        static const frontier_extras none;
        extras(a.extras ? *a.extras : none, b.extras ? *b.extras : none, a);
    }

private:
    template <class T>
    void same(const T& a, const T& b, const std::string& what) const
    {
        if (!(a == b)) throw difference{place_ + what};
    }
    static std::string at(std::string list, std::size_t index)
    {
        return std::move(list) + "[" + std::to_string(index) + "]";
    }
    static std::vector<node_index> nodes_of(const node_path& path)
    {
        std::vector<node_index> nodes;
        path.for_each([&](node_index n) { nodes.push_back(n); });
        return nodes;
    }

    void visits(const frontier& a, const frontier& b) const
    {
        const auto of = [](const frontier& f, std::size_t n) { return n < f.visits.size() ? f.visits[n] : 0; };
        for (std::size_t n = 0; n < of_.size(); ++n) same(of(a, n), of(b, n), at("visits", n));
    }

    void value(const value_ptr& a, const value_ptr& b, const std::string& what) const
    {
        if (a == b) return;
        same(a != nullptr, b != nullptr, what);
        same(&a->type(), &b->type(), what + ": type");
        if (a->type().to_json)
            same(boost::json::serialize(a->type().to_json(*a)), boost::json::serialize(b->type().to_json(*b)), what);
    }

    void state(const weft::state& a, const weft::state& b) const
    {
        for (std::uint32_t slot = 0; slot < a.layout().size(); ++slot)
            if (!a.layout()[slot].type->is_transient) value(a.at(slot), b.at(slot), "key " + a.layout()[slot].name);
    }

    void failures(const failure_ptr& a, const failure_ptr& b, const std::string& what) const
    {
        if (a == b) return;
        same(a != nullptr, b != nullptr, what);
        same(a->code, b->code, what + ".code");
        same(a->node, b->node, what + ".node");
        same(a->visit, b->visit, what + ".visit");
        same(a->attempt, b->attempt, what + ".attempt");
        same(a->message, b->message, what + ".message");
        same(a->cause != nullptr, b->cause != nullptr, what + ".cause");
        same(text_of(a->cause), text_of(b->cause), what + ".cause");
        same(code_of(a->cause), code_of(b->cause), what + ".cause");
    }

    void results(const branch_results& a, const branch_results& b, const std::string& what) const
    {
        same(a.size(), b.size(), what);
        for (std::size_t i = 0; i < a.size(); ++i) {
            same(a[i].index, b[i].index, at(what, i) + ".index");
            same(a[i].node, b[i].node, at(what, i) + ".node");
            same(a[i].status, b[i].status, at(what, i) + ".status");
            failures(a[i].error, b[i].error, at(what, i) + ".error");
        }
    }

    /** What a branch without an overwrite sees follows from its updates, so that it may be missing. */
    void entries(const branch_state::entries& a, const branch_state::entries& b, const std::string& what) const
    {
        same(a.size(), b.size(), what);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const std::string here = at(what, i);
            same(a[i].slot, b[i].slot, here + ".slot");
            same(a[i].is_overwrite, b[i].is_overwrite, here + ".is_overwrite");
            if (a[i].is_overwrite) {
                same(a[i].folded, b[i].folded, here + ".folded");
                value(a[i].visible, b[i].visible, here + ".visible");
            }
            same(a[i].updates.size(), b[i].updates.size(), here + ".updates");
            for (std::size_t u = 0; u < a[i].updates.size(); ++u)
                value(a[i].updates[u], b[i].updates[u], at(here + ".updates", u));
        }
    }

    void branches(const copied_ptr<branch_state>& a, const copied_ptr<branch_state>& b, const std::string& what) const
    {
        same(static_cast<bool>(a), static_cast<bool>(b), what);
        if (a) entries(a->changes(), b->changes(), what);
    }

    void writes(const write_set& a, const write_set& b, const std::string& what) const
    {
        same(a.size(), b.size(), what);
        for (std::size_t i = 0; i < a.size(); ++i) {
            same(a[i].slot, b[i].slot, at(what, i) + ".slot");
            same(a[i].is_overwrite, b[i].is_overwrite, at(what, i) + ".is_overwrite");
            same(a[i].is_published, b[i].is_published, at(what, i) + ".is_published");
            value(a[i].value, b[i].value, at(what, i) + ".value");
        }
    }

    void branches(const run_branch& a, const run_branch& b, const std::string& what) const
    {
        same(a.phase, b.phase, what + ".phase");
        if (a.phase == branch_phase::free) return;
        same(a.node, b.node, what + ".node");
        same(a.visit, b.visit, what + ".visit");
        same(a.attempt, b.attempt, what + ".attempt");
        same(a.is_stopping, b.is_stopping, what + ".is_stopping");
        same(a.is_counted, b.is_counted, what + ".is_counted");
        same(a.has_paused, b.has_paused, what + ".has_paused");
        same(a.has_failed, b.has_failed, what + ".has_failed");
        same(a.is_leaving, b.is_leaving, what + ".is_leaving");
        same(a.region, b.region, what + ".region");
        same(a.branch, b.branch, what + ".branch");
        same(a.fork, b.fork, what + ".fork");
        same(a.in_a_row, b.in_a_row, what + ".in_a_row");
        same(a.step, b.step, what + ".step");
        branches(a.input, b.input, what + ".input");
        branches(a.own, b.own, what + ".own");
        failures(a.previous(), b.previous(), what + ".previous");
        same(a.branches() != nullptr, b.branches() != nullptr, what + ".branches");
        if (a.branches()) results(a.branches()->results(), b.branches()->results(), what + ".branches");
    }

    void regions(const region& a, const region& b, const std::string& what) const
    {
        same(a.is_open, b.is_open, what + ".is_open");
        if (!a.is_open) return;
        same(a.is_decided, b.is_decided, what + ".is_decided");
        same(a.source, b.source, what + ".source");
        same(a.join, b.join, what + ".join");
        same(a.parent, b.parent, what + ".parent");
        same(a.started, b.started, what + ".started");
        same(a.running, b.running, what + ".running");
        same(a.succeeded, b.succeeded, what + ".succeeded");
        same(a.failed, b.failed, what + ".failed");
        same(a.arrived, b.arrived, what + ".arrived");
        failures(a.first_failure, b.first_failure, what + ".first_failure");
        same(a.groups, b.groups, what + ".groups");
        same(std::equal(a.targets.begin(), a.targets.end(), b.targets.begin(), b.targets.end()), true,
             what + ".targets");
        same(a.branches, b.branches, what + ".branches");
        sent(a, b, what + ".sent");
        ended(a.ended.all(), b.ended.all(), what + ".ended");
        same(std::equal(a.cancelled.begin(), a.cancelled.end(), b.cancelled.begin(), b.cancelled.end()), true,
             what + ".cancelled");
        same(a.written.size(), b.written.size(), what + ".written");
        for (std::size_t i = 0; i < a.written.size(); ++i) {
            same(a.written[i].slot, b.written[i].slot, at(what + ".written", i));
            same(a.written[i].branch, b.written[i].branch, at(what + ".written", i));
        }
    }

    /** What was sent to branches that have begun is of no use any more. */
    void sent(const region& a, const region& b, const std::string& what) const
    {
        same(a.sent != nullptr, b.sent != nullptr, what);
        if (!a.sent) return;
        same(a.sent->items.size(), b.sent->items.size(), what);
        for (std::size_t i = 0; i < a.sent->items.size(); ++i) {
            same(a.sent->items[i].target, b.sent->items[i].target, at(what, i));
            same(a.sent->items[i].timeout, b.sent->items[i].timeout, at(what, i));
            if (i >= a.started) writes(a.sent->items[i].input, b.sent->items[i].input, at(what, i));
        }
    }

    void ended(const settled_list<ended_branch>& a, const settled_list<ended_branch>& b,
               const std::string& what) const
    {
        same(a.size(), b.size(), what);
        for (std::size_t i = 0; i < a.size(); ++i) {
            same(a[i].branch, b[i].branch, at(what, i));
            same(a[i].status, b[i].status, at(what, i) + ".status");
            failures(a[i].error, b[i].error, at(what, i) + ".error");
            entries(a[i].changes, b[i].changes, at(what, i));
        }
    }

    void extras(const frontier_extras& a, const frontier_extras& b, const frontier& where) const
    {
        same(a.deferred, b.deferred, "deferred");
        same(a.last_outputs.size(), b.last_outputs.size(), "last_outputs");
        for (std::size_t i = 0; i < a.last_outputs.size(); ++i) {
            same(a.last_outputs[i].first, b.last_outputs[i].first, at("last_outputs", i));
            writes(*a.last_outputs[i].second, *b.last_outputs[i].second, at("last_outputs", i));
        }
        same(a.late.size(), b.late.size(), "late");
        for (std::size_t i = 0; i < a.late.size(); ++i) {
            same(a.late[i].first, b.late[i].first, at("late", i));
            failures(a.late[i].second, b.late[i].second, at("late", i));
        }
        same(a.spent, b.spent, "spent");
        same(a.elapsed.count(), b.elapsed.count(), "elapsed");
        same(a.origin, b.origin, "origin");
        same(a.inner.size(), b.inner.size(), "inner");
        for (std::size_t i = 0; i < a.inner.size(); ++i) {
            same(a.inner[i].first, b.inner[i].first, at("inner", i));
            const graph_node& node = of_.node(where.branches[a.inner[i].first].node);
            const subgraph* const inner = node.body ? node.body->inner() : nullptr;
            if (!inner) throw difference{place_ + at("inner", i)};
            frontier_comparison{inner->graph, place_ + node.name + "/"}.compare(*a.inner[i].second,
                                                                                *b.inner[i].second);
        }
    }

    const graph& of_;
    std::string place_;
};

}  // namespace first_difference_detail

/** What is different first between two frontiers of one graph, for people, e.g. `branches[2].visit`; empty if nothing
 *  is. Values are compared as JSON. Transient values, exceptions beyond their text, and what can be computed anew are
 *  not looked at. */
[[nodiscard]] inline std::string first_difference(const frontier& a, const frontier& b, const graph& of)
{
    try {
        first_difference_detail::frontier_comparison{of, {}}.compare(a, b);
    } catch (const first_difference_detail::difference& found) {
        return found.where;
    }
    return {};
}

}  // namespace weft
