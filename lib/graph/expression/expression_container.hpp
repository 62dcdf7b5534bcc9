#pragma once

#include "expression_evaluation.hpp"

#include <cstddef>
#include <cstdint>

namespace weft::expression_detail {

/** Whether a value is a set, or a view of a dict that compares like one. */
[[nodiscard]] inline bool is_set_like(const expression_value& v) noexcept
{
    return v.is(expression_kind::set) || v.is(expression_kind::keys) || v.is(expression_kind::items);
}

/** The item at an index below `size()` of a container that is no mapping; of a dict the key. */
[[nodiscard]] expression_value item_at(const expression_value& container, std::size_t index) noexcept;
/** The value that belongs to the key at an index of a dict that is no mapping. */
[[nodiscard]] expression_value member_at(const expression_value& dict, std::size_t index) noexcept;
/** Finds the value of a key; fails for keys that no dict can have. */
[[nodiscard]] bool find_member(evaluation& in, const expression_value& dict, const expression_value& key,
                               expression_value& into);
/** `container[key]`. */
[[nodiscard]] expression_value subscript(evaluation& in, const expression_value& container,
                                         const expression_value& key);

/** Goes through what Python iterates over: items, keys of a dict, characters of a text. Fails for anything else. */
class iteration {
public:
    iteration(evaluation& in, const expression_value& over);
    /** Moves on. @return False at the end. */
    [[nodiscard]] bool next(expression_value& into);
    /** At least how many items there are; exact for all but texts. */
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    evaluation& in_;
    expression_value over_;
    std::size_t at_ = 0;
    std::size_t size_;
};

/** Makes a set, or the pairs of a dict: one item for each distinct key, in the order in which they came. */
class distinct_items {
public:
    /** @param size_max   How many items are put at most. @param is_dict   Whether items are pairs. */
    distinct_items(evaluation& in, std::size_t size_max, bool is_dict);
    void put(const expression_value& key, const expression_value& member = {});
    [[nodiscard]] expression_value finish() const noexcept;

private:
    evaluation& in_;
    bool is_dict_;
    std::size_t size_ = 0;
    std::size_t mask_;
    expression_value* items_;
    std::uint32_t* table_;  // 1 + index of an item, open addressing, at most half full
};

[[nodiscard]] expression_value make_sequence(evaluation& in, const expression_value& from, expression_kind kind);
[[nodiscard]] expression_value make_set(evaluation& in, const expression_value& from);

}  // namespace weft::expression_detail
