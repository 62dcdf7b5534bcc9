#include "page_fields.hpp"

#include <string>
#include <utility>
#include <vector>

namespace weft::serve_detail {

task<void> reply_page(api_call& call, boost::json::array page, const wanted_page& wanted, bool has_more)
{
    if (!has_more) return call.reply(200, page);
    return call.reply(200, page, "X-Pagination-Next", std::to_string(wanted.end()));
}

boost::json::object selected_members(boost::json::object view, const texts_field& select,
                                     const boost::json::object& body)
{
    if (!select.is_in(body)) return view;
    boost::json::object kept;
    for (const std::string& name : select.in(body))
        if (view.contains(name)) kept[name] = std::move(view[name]);
    return kept;
}

}  // namespace weft::serve_detail
