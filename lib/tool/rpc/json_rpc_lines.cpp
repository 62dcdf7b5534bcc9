#include "json_rpc_lines.hpp"

#include <utility>

namespace weft {

void json_rpc_lines::feed(std::string_view bytes) noexcept
{
    input_ = bytes;
}

bool json_rpc_lines::next()
{
    if (std::exchange(carry_is_used_, false)) carry_.clear();
    while (!has_failed_) {
        const std::size_t end = input_.find('\n');
        const std::size_t size = end == std::string_view::npos ? input_.size() : end;
        if (carry_.size() + size > line_bytes_max_) {
            has_failed_ = true;
            return false;
        }
        if (end == std::string_view::npos) {
            carry_.append(input_);
            input_ = {};
            return false;
        }
        line_ = input_.substr(0, end);
        if (!carry_.empty()) {
            carry_.append(line_);
            line_ = carry_;
            carry_is_used_ = true;
        }
        input_.remove_prefix(end + 1);
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        if (!line_.empty()) return true;
        if (std::exchange(carry_is_used_, false)) carry_.clear();
    }
    return false;
}

bool json_rpc_lines::may_be_message(std::string_view line) noexcept
{
    const std::size_t begin = line.find_first_not_of(" \t");
    return begin != std::string_view::npos && (line[begin] == '{' || line[begin] == '[');
}

error json_rpc_lines::failure(std::string where) const
{
    return error{errc::response_too_large, std::move(where),
                 "a line has more than " + std::to_string(line_bytes_max_) + " bytes"};
}

}  // namespace weft
