#pragma once

#include "observe/trace/run_observation.hpp"

#include <weft/base/memory/sort_stably.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Watches runs, and keeps the spans that would be sent. */
class recorded_spans final : public weft::run_observer {
public:
    explicit recorded_spans(weft::trace_options traces = {}, bool sends = true)
        : setup_{std::make_shared<weft::observe_detail::observation_setup>(
              weft::observe_detail::observation_setup{metrics, std::move(traces), sends ? &queue : nullptr})}
    {
    }

    weft::run_watch watch(const weft::observed_run& what) override
    {
        const auto seen = std::make_shared<weft::observe_detail::run_observation>(setup_, what);
        auto trace = std::make_shared<weft::trace_context>(seen->trace());
        trace->recorder = seen;
        return {std::move(trace), [seen](const weft::run_event& event) { seen->see(event); }};
    }

    /** The spans so far. */
    const std::vector<weft::span>& spans()
    {
        for (weft::span& each : queue.take(10'000)) spans_.push_back(std::move(each));
        return spans_;
    }
    /** The first of this name. */
    const weft::span& find(std::string_view name)
    {
        const auto found = std::find_if(spans().begin(), spans().end(),
                                        [name](const weft::span& each) { return each.name == name; });
        if (found == spans_.end()) throw std::runtime_error{"there is no span '" + std::string{name} + "'\n" + tree()};
        return *found;
    }
    /** The names of spans with those within them, in the order in which they began. */
    std::string tree()
    {
        std::vector<const weft::span*> roots;
        for (const weft::span& each : spans())
            if (!is_within(each)) roots.push_back(&each);
        std::string text;
        for (const weft::span* const each : sorted(roots)) append(text, *each, 0);
        return text;
    }

    weft::metric_registry registry;
    weft::weft_metrics metrics{registry};
    weft::span_queue queue{10'000};

private:
    [[nodiscard]] bool is_within(const weft::span& one) const
    {
        return std::any_of(spans_.begin(), spans_.end(),
                           [&one](const weft::span& other) { return other.place.span == one.parent; });
    }
    static std::vector<const weft::span*> sorted(std::vector<const weft::span*> some)
    {
        weft::sort_stably(some, [](const auto* a, const auto* b) { return a->start < b->start; });
        return some;
    }
    void append(std::string& text, const weft::span& one, std::size_t depth) const
    {
        text.append(2 * depth, ' ').append(one.name).append(one.has_failed ? " !\n" : "\n");
        std::vector<const weft::span*> inner;
        for (const weft::span& each : spans_)
            if (each.parent == one.place.span) inner.push_back(&each);
        for (const weft::span* const each : sorted(inner)) append(text, *each, depth + 1);
    }

    std::shared_ptr<const weft::observe_detail::observation_setup> setup_;
    std::vector<weft::span> spans_;
};
