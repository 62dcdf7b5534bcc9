#pragma once

#include <weft/chat/message.hpp>
#include <weft/graph/state/value.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** The messages of a value: of a key that `has_messages`.
 *  @par Lifetimes   The value outlives it. */
class conversation_view {
public:
    /** @param of   Null: no message. */
    explicit conversation_view(const value_ptr& of, std::string_view key = "messages") noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] const message& operator[](std::size_t index) const;
    /** Under which clients know a message; as `item_for_client` has it. */
    [[nodiscard]] std::string id_of(std::size_t index) const;
    /** Whether it is the other one with messages appended. */
    [[nodiscard]] bool extends(const conversation_view& other) const;

private:
    const value_box* box_;
    std::string_view key_;
    std::size_t size_ = 0;
};

/** A message as clients of AG-UI know it: one, or two if it has reasoning, which is a message of its own before it.
 *  @param id   Its own, or what stands for it. */
[[nodiscard]] std::vector<boost::json::object> agent_forms_of(const message& one, std::string_view id);

}  // namespace weft::serve_detail
