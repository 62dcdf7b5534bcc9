#pragma once

#include <weft/store/item_vectors.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::store_detail {

/** The best matches of a search so far: a value that looks at items in the order of their keys and keeps at most as
 *  many as were asked for. The item itself is needed only when its score is good enough.
 *
 *      if (const std::optional<float> score = best.look_at(name, bytes)) best.offer(read_item(), *score);
 *
 *  For another order, `take_any_order` is called beforehand.
 */
class nearest_items {
public:
    /** @par Errors   Those of `item_vectors::nearest` that need no item. */
    explicit nearest_items(vector_query query);

    /** Items come in no order of their keys, and may come twice: the first counts. More of them are read: those of the
     *  worst score that is kept. */
    void take_any_order() noexcept { is_ordered_ = false; }

    /** The vector of the query, as `unit_vector_bytes` makes it. */
    [[nodiscard]] const std::string& vector() const noexcept { return vector_; }
    [[nodiscard]] bool has_filter() const noexcept { return !filter_.get_object().empty(); }
    /** How many matches are kept at most, those of the pages before included. */
    [[nodiscard]] std::size_t matches_max() const noexcept { return matches_max_; }
    [[nodiscard]] const std::string& model() const noexcept { return model_; }
    /** How many vectors make a slice of about `bytes`; at least one, and no more than some thousand. */
    [[nodiscard]] std::size_t slice_of(std::size_t bytes) const noexcept;

    /** @param name    Of the item, for errors.
     *  @param vector  As `unit_vector_bytes` makes it.
     *  @return        Its score, if it is among the best so far. */
    [[nodiscard]] std::optional<float> look_at(std::string_view name, std::string_view vector) const;
    /** Keeps an item that `look_at` gave a score, if the filter takes it. */
    void offer(stored_item item, float score);

    /** The matches, the best one first, without those of the pages before. */
    [[nodiscard]] std::vector<item_match> take();

private:
    [[nodiscard]] bool has(const item_key& key) const;
    [[nodiscard]] static bool is_better(const item_match& a, const item_match& b);

    std::string model_;
    std::string vector_;
    boost::json::value filter_;
    float score_min_;
    std::size_t matches_max_;
    std::size_t offset_;
    bool is_ordered_ = true;
    std::vector<item_match> matches_;  // a heap with the worst one on top
};

}  // namespace weft::store_detail
