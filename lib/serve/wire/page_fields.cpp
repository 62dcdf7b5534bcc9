#include "page_fields.hpp"

#include <utility>

namespace weft::serve_detail {

task<void> reply_page(api_call& call, boost::json::array page, const wanted_page& wanted, bool has_more)
{
    if (!has_more) return call.reply(200, page);
    return call.reply(200, page, "X-Pagination-Next", std::to_string(wanted.end()));
}

member_selection::member_selection(const texts_field& select, const boost::json::object& body)
{
    if (select.is_in(body)) names_ = select.in(body);
}

boost::json::object member_selection::of(boost::json::object view) const
{
    if (!names_) return view;
    boost::json::object kept;
    for (const std::string& name : *names_)
        if (view.contains(name)) kept[name] = view[name];
    return kept;
}

}  // namespace weft::serve_detail
