#pragma once

/** Where the demo's run stands, as its events tell it; draws nothing. Used by
 *  parallel_research.cpp. */

#include <weft/base/clock.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/run_event.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** What a person wants to know of one node. */
struct node_progress {
    enum class phase { waiting, asking, streaming, retrying, done, failed, stopped };

    std::string_view name;
    phase now = phase::waiting;
    std::uint32_t visits = 0;
    std::int64_t tokens = 0;  ///< Of earlier replies, as reported.
    std::int64_t pieces =
        0;  ///< Of the reply under way: about as many tokens, until it is reported.
    weft::time_point since;
    weft::clock::duration elapsed{};  ///< Of earlier visits.
    std::string tail;                 ///< The end of what it has written, or why it failed.

    [[nodiscard]] bool is_running() const noexcept
    {
        return now == phase::asking || now == phase::streaming || now == phase::retrying;
    }
    [[nodiscard]] std::int64_t tokens_so_far() const noexcept { return tokens + pieces; }
    [[nodiscard]] weft::clock::duration elapsed_at(weft::time_point moment) const
    {
        return elapsed + (is_running() ? moment - since : weft::clock::duration{});
    }
    [[nodiscard]] std::string_view phase_name() const noexcept
    {
        switch (now) {
        case phase::waiting: return "waiting";
        case phase::asking: return "asking";
        case phase::streaming: return "streaming";
        case phase::retrying: return "retrying";
        case phase::done: return "done";
        case phase::failed: return "failed";
        case phase::stopped: return "stopped";
        }
        return "";
    }
};

class research_progress {
    template <class Nodes>
    static auto* find_in(Nodes& nodes, std::string_view name)
    {
        const auto found = std::find_if(nodes.begin(), nodes.end(),
                                        [&](const node_progress& node) { return node.name == name; });
        return found == nodes.end() ? nullptr : &*found;
    }

public:
    explicit research_progress(const std::vector<std::string_view>& nodes)
    {
        for (std::string_view name : nodes) nodes_.emplace_back().name = name;
    }

    /** Takes over what has ended in a process before this one. @return  The nodes, as a list. */
    std::string take_over(const weft::checkpoint_outline& before)
    {
        std::string names;
        for (node_progress& node : nodes_) {
            const auto visits = before.visits.find(std::string{node.name});
            const auto& next = before.next_nodes;
            const bool is_next = std::find(next.begin(), next.end(), node.name) != next.end();
            if (visits == before.visits.end() || is_next) continue;
            node.now = node_progress::phase::done;
            node.visits = visits->second;
            node.tail = "was done before";
            names += (names.empty() ? "" : ", ") + std::string{node.name};
        }
        if (!names.empty()) path_ = "(" + names + ")";
        return names;
    }

    /** @return  The node that the event concerns, or null. */
    const node_progress* take(const weft::run_event& event)
    {
        using kind = weft::run_event::kind;
        if (event.what == kind::run_started) began_ = event.at;
        if (event.what == kind::branches_started || event.what == kind::branches_joined)
            bracket(event.what);
        node_progress* const node = find_in(nodes_, event.node);
        if (!node) return nullptr;
        switch (event.what) {
        case kind::node_started: start(*node, event); break;
        case kind::output: hear(*node, event); break;
        case kind::node_succeeded: end(*node, event, node_progress::phase::done); break;
        case kind::node_failed: fail(*node, event); break;
        case kind::node_retried:
            node->now = node_progress::phase::retrying;
            node->since = event.at;
            break;
        default: return nullptr;
        }
        return node;
    }

    [[nodiscard]] const std::vector<node_progress>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const node_progress* find(std::string_view name) const
    {
        return find_in(nodes_, name);
    }
    [[nodiscard]] weft::time_point began() const noexcept { return began_; }
    [[nodiscard]] std::int64_t tokens() const
    {
        std::int64_t sum = 0;
        for (const node_progress& node : nodes_) sum += node.tokens_so_far();
        return sum;
    }
    /** The way that the run took: `plan -> [web, papers] -> write`. */
    [[nodiscard]] std::string path() const { return path_ + (is_fanned_out_ ? "]" : ""); }

private:
    static constexpr std::size_t tail_bytes_max = 400;

    void bracket(weft::run_event::kind what)
    {
        if (what == weft::run_event::kind::branches_started) {
            path_ += path_.empty() ? "[" : " -> [";
            is_fanned_out_ = true;
        } else if (std::exchange(is_fanned_out_, false)) {
            path_ += "]";
        }
    }

    void start(node_progress& node, const weft::run_event& event)
    {
        node.now = node_progress::phase::asking;
        node.since = event.at;
        node.pieces = 0;
        node.tail.clear();
        if (event.attempt > 1) return;
        node.visits = event.visit;
        if (!path_.empty() && !path_.ends_with('[')) path_ += is_fanned_out_ ? ", " : " -> ";
        path_ += node.name;
    }

    // A node emits its text piece by piece, and under the label `tokens` what the endpoint counted.
    static void hear(node_progress& node, const weft::run_event& event)
    {
        if (event.label == "tokens") {
            std::int64_t count = 0;
            std::from_chars(event.text.data(), event.text.data() + event.text.size(), count);
            node.tokens += count;
            node.pieces = 0;
            return;
        }
        node.now = node_progress::phase::streaming;
        ++node.pieces;
        node.tail += event.text;
        if (node.tail.size() > 2 * tail_bytes_max)
            node.tail.erase(0, node.tail.size() - tail_bytes_max);
    }

    static void end(node_progress& node, const weft::run_event& event, node_progress::phase how)
    {
        if (node.is_running()) node.elapsed += event.at - node.since;
        node.now = how;
    }

    static void fail(node_progress& node, const weft::run_event& event)
    {
        const bool was_stopped = event.text == "stopped";
        end(node, event,
            was_stopped ? node_progress::phase::stopped : node_progress::phase::failed);
        if (!was_stopped) node.tail = event.text;
    }

    std::vector<node_progress> nodes_;
    weft::time_point began_;
    std::string path_;
    bool is_fanned_out_ = false;
};
