#include "base_url.hpp"

#include <weft/base/error.hpp>

#include <string>

namespace weft::model_detail {

void refuse_whole_address(const url& base, std::string_view added)
{
    const std::string_view path = std::string_view{base.target()}.substr(0, base.target().find('?'));
    if (path.ends_with(added) || path.ends_with(std::string{added} + '/'))
        throw error{errc::invalid_url, base.endpoint(), "leave out " + std::string{added} + ", which weft adds"};
}

}  // namespace weft::model_detail
