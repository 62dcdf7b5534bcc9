#include "base_url.hpp"

#include <weft/base/error.hpp>

#include <string>

namespace weft::model_detail {

void refuse_whole_address(const url& base, std::string_view added)
{
    std::string_view path = std::string_view{base.target()}.substr(0, base.target().find('?'));
    if (path.ends_with('/')) path.remove_suffix(1);
    if (!path.ends_with(added)) return;
    path.remove_suffix(added.size());
    throw error{errc::invalid_url, base.endpoint(),
                "leave out " + std::string{added} + ", which weft adds: the path of the base URL is '" +
                    std::string{path.empty() ? "/" : path} + "'"};
}

url target_below(const std::string& base_url, std::string_view added)
{
    const url base{base_url};
    refuse_whole_address(base, added);
    return base.appended(added.substr(1));
}

}  // namespace weft::model_detail
