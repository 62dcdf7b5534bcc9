#pragma once

#include "blob_table.hpp"
#include "linked_record.hpp"
#include "stored_value.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::checkpoint_detail {

/** Reads values that stand in records. What stood in two places as one value is one value again.
 *
 *  Bounded: a damaged record may refer to one blob very often. */
class value_decoder {
public:
    explicit value_decoder(const blob_table& blobs) noexcept : blobs_{blobs} {}

    /** @par Errors   `store_corrupt` for what is damaged; other codes if the type does not take the value. */
    [[nodiscard]] value_ptr read(linked_reader& from, const value_type& type);
    /** As JSON; null and no value are told apart. @return False if there is no value. */
    [[nodiscard]] bool read_json(linked_reader& from, boost::json::value& into);

    /** `read` will be asked for this: if it is a long list, `make_some` makes it before. */
    void foresee(value_form form, const value_type& type);
    /** Makes some items of lists that are foreseen. What is damaged is left to `read`, which says so.
     *  @return   True when nothing is left. */
    [[nodiscard]] bool make_some();

    [[nodiscard]] const blob_table& blobs() const noexcept { return blobs_; }
    [[nodiscard]] const blob_table::entry& blob_at(const content_hash& hash) const;

private:
    [[nodiscard]] boost::json::value json_of(value_form&& form);
    [[nodiscard]] boost::json::value parse(std::string_view text, std::string_view what);
    [[nodiscard]] std::vector<std::string_view> items_of(const list_tree& list);

    /** A list that is made. */
    struct begun_list {
        std::string identity;
        list_tree list;
        const value_type* type;
        std::unique_ptr<list_maker> maker = nullptr;
        std::vector<std::string_view> items = {};
        std::size_t next = 0;
    };
    /** @return  True when it is complete, or cannot be made. */
    [[nodiscard]] bool make_some_of(begun_list& list);

    const blob_table& blobs_;
    std::size_t bytes_left_ = std::size_t{1} << 30;  // of JSON text
    std::size_t items_left_ = list_tree::size_max;
    std::map<std::string, value_ptr, std::less<>> values_;  // by type and form
    std::vector<begun_list> foreseen_;
};

}  // namespace weft::checkpoint_detail
