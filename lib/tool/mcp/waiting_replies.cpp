#include "waiting_replies.hpp"

#include <weft/base/error.hpp>

#include <variant>

namespace weft::mcp_detail {

waiting_replies::place::~place()
{
    if (!all_) return;
    --all_->count_;
    all_->bytes_ -= bytes_;
}

void waiting_replies::place::set_bytes(std::size_t bytes) noexcept
{
    all_->bytes_ += bytes - bytes_;
    bytes_ = bytes;
}

auto waiting_replies::open(const json_rpc_id& id) noexcept -> place
{
    const std::string* const text = std::get_if<std::string>(&id);
    return place{*this, text ? text->size() : sizeof(std::int64_t)};
}

error waiting_replies::failure(const std::string& label) const
{
    const std::string what = count_ > count_max_ ? std::to_string(count_max_) + " answers"
                                                 : "answers of " + std::to_string(bytes_max_) + " bytes together";
    return error{errc::limit_reached, label,
                 "the server sends requests and does not read the answers: more than " + what +
                     " wait; its limits are `replies_max` and `reply_bytes_max`"};
}

}  // namespace weft::mcp_detail
