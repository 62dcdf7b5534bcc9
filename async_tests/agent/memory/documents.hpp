#pragma once

#include <weft/agent/memory/document_index.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/testing/model/word_embedding_model.hpp>
#include <weft/testing/simulation.hpp>

#include <memory>
#include <string>
#include <utility>

namespace weft_tests {

/** Documents in memory, found by the words that they share with a query. */
struct shared_documents {
    std::shared_ptr<weft::memory_items> items = std::make_shared<weft::memory_items>();
    weft::semantic_items all{weft::item_space{items, "acme", {"documents"}},
                             std::make_shared<weft::testing::word_embedding_model>(4'096), weft::document_fields()};
    weft::testing::simulation sim{1};

    std::size_t index(std::string name, std::string text, boost::json::object metadata = {})
    {
        return sim.run(weft::index_document(all, {std::move(name), std::move(text), std::move(metadata)}));
    }
    [[nodiscard]] std::shared_ptr<const weft::semantic_items> pointer() const
    {
        return std::make_shared<const weft::semantic_items>(all);
    }
};

inline constexpr const char* weather_page =
    "# Weather\n\nRain is water that falls from clouds.\n\n## Wind\n\nWind is air that moves.\n";
inline constexpr const char* money_page = "# Money\n\nInterest is the price of a loan.\n";

}  // namespace weft_tests
