#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/model/embedding/embedding_model.hpp>
#include <weft/store/item_space.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace agent_detail {
struct vectors_maker;
}

/** What of an item has a meaning, and which model says so. */
struct semantic_items_options {
    /** JSON pointers (RFC 6901) of the texts that make the vector, as `/title`, joined by line breaks; those that are
     *  missing are left out. Empty: the whole value, a text as it is and other values as JSON. */
    std::vector<std::string> fields = {};
    /** What the vectors of the model are called in the store; empty: the label of the model. Give one where the address
     *  of the endpoint may change, or the number of dimensions. */
    std::string model_name = {};
};

/** What is looked for. */
struct semantic_query {
    // Declared: see docs/COMPILERS.md.
    semantic_query() {}
    explicit semantic_query(std::string text) : text{std::move(text)} {}

    std::string text;              ///< A question, or what items should be about.
    std::string contains = "{}";   ///< A JSON object; see `vector_query::contains`.
    float score_min = -1;          ///< Scores differ from model to model: try what fits.
    std::size_t count_max = 10;
    std::size_t offset = 0;
};

/** A value with its name, to be put beside others. */
struct named_value {
    std::string name;
    boost::json::value value;
};

/** Items of a namespace that are found by meaning: a namespace of a store and a model of embeddings.
 *
 *      const weft::semantic_items notes{space, model, {.fields = {"/title", "/text"}}};
 *      co_await notes.put("rain", {{"title", "Rain"}, {"text", "Water that falls from clouds."}});
 *      const auto found = co_await notes.search(weft::semantic_query{"what is precipitation?"});
 *
 *  A value that shares ownership of the store and the model; cheap to copy.
 *
 *  @par Errors          Those of `item_space`, `item_vectors` and the model; `errc::invalid_configuration` from the
 *                       constructor without a model and for what is no JSON pointer, and for a value or a query without
 *                       text.
 *  @par Cancellation    As the model and the store.
 *  @par Thread safety   As `item_store` and the model.
 *  @par Lifetimes       A task shares ownership of the store and the model.
 */
class semantic_items {
public:
    semantic_items(item_space space, std::shared_ptr<embedding_model> model, semantic_items_options options = {});

    /** The items as they are without vectors; what is put there directly is not found by meaning. */
    [[nodiscard]] const item_space& space() const noexcept { return space_; }
    /** The namespace of these names in this one, with the same model and fields. */
    [[nodiscard]] semantic_items below(std::vector<std::string> names) const;

    /** Writes an item with the vector of its texts, in place of the one of this name.
     *  @param lifetime   As of `item_space::put`. */
    [[nodiscard]] task<void> put(std::string name, boost::json::value value,
                                 std::optional<std::chrono::milliseconds> lifetime = std::nullopt) const;
    /** Writes items, whose vectors come from one call of the model. What fails half-way has written some of them. */
    [[nodiscard]] task<void> put_all(std::vector<named_value> values,
                                     std::optional<std::chrono::milliseconds> lifetime = std::nullopt) const;
    /** The items here and in namespaces below that are nearest in meaning, the best one first. */
    [[nodiscard]] task<std::vector<item_match>> search(semantic_query query) const;

private:
    item_space space_;
    std::shared_ptr<const agent_detail::vectors_maker> maker_;
};

/** The text that makes the vector of a value; empty if it has none.
 *  @param fields   As `semantic_items_options::fields`. */
[[nodiscard]] std::string text_of_fields(const boost::json::value& value, const std::vector<std::string>& fields);

}  // namespace weft
