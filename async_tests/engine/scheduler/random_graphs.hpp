#pragma once

#include "graph/graphs.hpp"

#include <weft/base/random.hpp>
#include <weft/graph/graph_builder.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft_tests {

/** Builds random graphs out of chains and fan-outs within each other, some of whose branches meet early. */
class graph_maker {
public:
    explicit graph_maker(weft::random_source& random, bool has_sends = false) : random_{random}, has_sends_{has_sends}
    {
        builder_.state(total, words, value);
    }

    weft::graph make(int depth = 3)
    {
        const span whole = block(depth);
        edge(std::string{weft::start}, whole.first);
        return builder_.build();
    }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& edges() const { return edges_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    struct span {
        std::string first;
        std::string last;
    };

    std::string node()
    {
        std::string name = "n" + std::to_string(size_++);
        builder_.node(name, [] {});
        return name;
    }
    void edge(const std::string& from, const std::string& to)
    {
        builder_.edge(from, to);
        edges_.emplace_back(from, to);
    }
    span block(int depth)
    {
        if (depth == 0 || random_.below(4) == 0) {
            const std::string only = node();
            return {only, only};
        }
        if (has_sends_ && random_.below(2) == 0) return sends(depth);
        return random_.below(3) == 0 ? chain(depth) : fan_out(depth);
    }
    span chain(int depth)
    {
        const span one = block(depth - 1);
        const span two = block(depth - 1);
        edge(one.last, two.first);
        return {one.first, two.last};
    }
    span fan_out(int depth)
    {
        const std::string source = node();
        const std::string join = node();
        const std::string early = random_.below(2) == 0 ? node() : "";
        const std::uint64_t width = 2 + random_.below(3);
        for (std::uint64_t b = 0; b < width + (early.empty() ? 0 : 2); ++b) {
            const span branch = block(depth - 1);
            edge(source, branch.first);
            edge(branch.last, !early.empty() && b < 2 ? early : join);
        }
        if (!early.empty()) edge(early, join);
        if (random_.below(3) == 0) edge(source, join);
        return {source, join};
    }

    /** A node that sends items to a worker, whose way goes on to a join. */
    span sends(int depth)
    {
        const std::string source = "s" + std::to_string(size_++);
        const std::string worker = "w" + std::to_string(size_++);
        const std::string join = node();
        builder_.node(source, [] {}, {.goes_to = {worker}}).node(worker, [] {});
        builder_.fan_out(source, {.on_failure = weft::branch_policy::continue_others,
                                  .concurrency_max = static_cast<std::uint32_t>(random_.below(3))});
        const span way = block(depth - 1);
        edge(worker, way.first);
        edge(way.last, join);
        return {source, join};
    }

    weft::random_source& random_;
    bool has_sends_ = false;
    weft::graph_builder builder_{"random"};
    std::vector<std::pair<std::string, std::string>> edges_;
    std::size_t size_ = 0;
};

}  // namespace weft_tests
