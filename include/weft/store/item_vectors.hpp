#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/store/item_store.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A direction that stands for a text, as an embedding model makes it. */
struct item_vector {
    std::string model;              ///< Vectors of different models are never compared; at most 512 bytes.
    std::vector<float> components;  ///< Finite, not all zero, at most `dimensions_max`. Its length has no meaning.

    static constexpr std::size_t dimensions_max = 16 * 1024;
};

/** Which items to find by their vectors. */
struct vector_query {
    item_vector vector;
    /** A JSON object: only items whose value contains it, as `document_query::contains`. */
    std::string contains = "{}";
    float score_min = -1;         ///< Only items with this score or more.
    std::size_t count_max = 10;   ///< At most so many. With `offset` at most `found_max`.
    std::size_t offset = 0;       ///< So many of the nearest are left out: the pages before this one.

    static constexpr std::size_t found_max = 1'000;
};

/** An item, and how near its vector is. */
struct item_match {
    stored_item item;
    float score = 0;  ///< The cosine of the angle between both vectors: 1 is the same direction, 0 has no relation.
};

/** Vectors beside the items of an `item_store`, which `item_store::vectors` gives.
 *
 *      weft::vector_query query{.vector = {"text-embedding-x", made.vectors[0]}};
 *      const auto found = co_await store.vectors()->nearest("acme", {"handbook"}, std::move(query));
 *
 *  An item has one vector or none. The vector belongs to the value that it was put with: it goes when the item is
 *  erased, has its end, or is put again by `item_store::put`.
 *
 *  The search is exact but for an index that a store was told to use (`postgres_vector_index`): it looks at every
 *  vector of the namespace, slice by slice, and gives its loop back in between, or lets a server do so.
 *  It is no snapshot: an item that is put meanwhile is found as it was or as it is.
 *
 *  @par Errors          As `item_store`; `errc::invalid_configuration` for a vector that has no direction or a number
 *                       that is not finite.
 *  @par Cancellation    Of a search between two slices.
 *  @par Thread safety   As `item_store`.
 *  @par Lifetimes       As long as the item store.
 */
class item_vectors {
public:
    virtual ~item_vectors() = default;

    /** Writes an item together with its vector, in place of the item of this key and its vector.
     *  @param lifetime  From now; none: for ever. */
    [[nodiscard]] virtual task<void> put_with_vector(std::string tenant, item_key key, boost::json::value value,
                                                     item_vector vector,
                                                     std::optional<std::chrono::milliseconds> lifetime) = 0;
    /** The items of a namespace, and of those below it, whose vectors of the query's model are nearest: by score, those
     *  of equal score by key.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  a vector of the same model has another number of dimensions; both stand in
     *                                     the message.
     *    - `errc::invalid_json`           the filter is no JSON object.
     *    - `errc::limit_reached`          `count_max` and `offset` are more than `found_max`. */
    [[nodiscard]] virtual task<std::vector<item_match>> nearest(std::string tenant, std::vector<std::string> space,
                                                                vector_query query) = 0;
};

}  // namespace weft
