#pragma once

#include "blob_sink.hpp"
#include "linked_record.hpp"
#include "stored_value.hpp"

#include <weft/graph/state/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace weft::checkpoint_detail {

/** Writes values, and remembers how those of the last draft stand in the store. */
class value_encoder {
public:
    explicit value_encoder(blob_sink& sink) noexcept : sink_{sink} {}

    /** @param key   Names the value in errors.
     *  @par Errors  `state_conversion`, `limit_reached`; name the key and the path. */
    void write(linked_writer& to, const value_ptr& value, std::string_view key);
    /** Makes about `bytes` of a long list that the next draft will have, if that is what it is.
     *  @return  True if nothing is left, or if it cannot be made: `write` says why. */
    [[nodiscard]] bool prepare(const value_ptr& value, std::size_t bytes);
    /** The thread has this value, in this form. */
    void know(const value_ptr& value, const value_form& form);

    /** A draft is complete: what it did not have is forgotten. */
    void end_draft();
    void forget() noexcept;

private:
    struct plain_value {
        value_ptr value;  // kept, so that no other value gets its address
        std::string in_place;
        std::optional<content_hash> hash;
        std::uint64_t draft = 0;
    };
    struct list_value {
        value_ptr value;
        list_tree tree;
        std::uint64_t draft = 0;
    };

    void write_plain(linked_writer& to, const value_ptr& value);
    void write_list(linked_writer& to, const value_ptr& value);
    [[nodiscard]] list_tree take_base(const value_box& value);
    [[nodiscard]] list_tree tree_of(const value_box& value);
    template <class Values>
    void drop_unused(Values& values, std::size_t used);

    blob_sink& sink_;
    std::unordered_map<const value_box*, plain_value> plain_;
    std::unordered_map<const value_box*, list_value> lists_;
    list_value begun_;              // a list that `prepare` has made a part of
    std::uint64_t draft_ = 1;       // the last complete one
    std::size_t plain_used_ = 0;    // in the one that is being made
    std::size_t lists_used_ = 0;
};

}  // namespace weft::checkpoint_detail
