#pragma once

#include "filed_agents.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/store/item_space.hpp>
#include <weft/store/memory_items.hpp>

#include <memory>
#include <string>
#include <utility>

namespace weft_tests::tool_agents {

/** A memory that several runs share, on the clock of one simulation. */
struct shared_memory {
    std::shared_ptr<weft::item_store> items = std::make_shared<weft::memory_items>();
    std::shared_ptr<const weft::item_space> space = std::make_shared<const weft::item_space>(items, "acme");
    weft::testing::simulation sim{1};

    [[nodiscard]] weft::run_result run(const weft::graph& what, weft::run_request request = {})
    {
        weft::run_options options;
        options.memory(space);
        const weft::engine engine{what};
        request.options(std::move(options));
        return sim.run(engine.run(std::move(request)));
    }
    [[nodiscard]] weft::run_result run(const std::string& members, const weft::node_registry& registry,
                                       boost::json::object input = {}, std::string thread = {})
    {
        const weft::loaded_graph loaded = weft::load_graph(spec_text(members), registry);
        return run(loaded.what, weft::run_request{std::move(thread)}.input(std::move(input)));
    }
    /** `a/b/name=value …` of all items. */
    [[nodiscard]] std::string all()
    {
        std::string text;
        for (const weft::stored_item& item : sim.run(items->list("acme", {}, std::nullopt, 1'000))) {
            text += text.empty() ? "" : " ";
            for (const std::string& name : item.key.space) text += name + "/";
            text += item.key.name + "=" + std::string{weft::to_json_text(item.value)};
        }
        return text;
    }
};

}  // namespace weft_tests::tool_agents
