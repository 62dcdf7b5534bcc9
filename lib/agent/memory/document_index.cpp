#include <weft/agent/memory/document_index.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t index_page_size = 200;
// One call of the model for so many: a failure costs that much work at most.
constexpr std::size_t put_together = 256;

/** Names sort as the passages stand in the document. */
std::string passage_name(std::size_t number)
{
    const std::string digits = std::to_string(number);
    return std::string(std::max<std::size_t>(6, digits.size()) - digits.size(), '0') + digits;
}

boost::json::value value_of_passage(const indexed_document& document, const text_passage& passage)
{
    boost::json::object value = document.metadata;
    value["document"] = document.name;
    value["heading"] = passage.heading;
    value["line"] = static_cast<std::int64_t>(passage.line);
    value["text"] = passage.text;
    return value;
}

/** The names of the items of one namespace, without those below it. */
task<std::vector<std::string>> names_of_items(item_space space)
{
    std::vector<std::string> names;
    std::optional<item_key> after;
    for (std::size_t count = index_page_size; count == index_page_size;) {
        const std::vector<stored_item> page = co_await space.list(index_page_size, after);
        count = page.size();
        for (const stored_item& item : page)
            if (item.key.space == space.space()) names.push_back(item.key.name);
        if (count > 0) after = page.back().key;
    }
    co_return names;
}

}  // namespace

semantic_items_options document_fields()
{
    semantic_items_options options;
    options.fields = {"/heading", "/text"};
    return options;
}

task<std::size_t> index_document(semantic_items where, indexed_document document, passage_options how)
{
    if (document.name.empty())
        throw error{errc::invalid_configuration, "index_document", "the document has no name: give it its path"};
    const semantic_items place = where.below(std::vector<std::string>(1, document.name));
    const std::vector<text_passage> passages = passages_of(document.text, how);
    const std::vector<std::string> before = co_await names_of_items(place.space());
    std::set<std::string> names;
    for (std::size_t begin = 0; begin < passages.size(); begin += put_together) {
        std::vector<named_value> values;
        for (std::size_t i = begin; i < std::min(begin + put_together, passages.size()); ++i) {
            values.push_back({passage_name(i), value_of_passage(document, passages[i])});
            names.insert(values.back().name);
        }
        co_await place.put_all(std::move(values));
    }
    for (const std::string& name : before)
        if (!names.contains(name)) static_cast<void>(co_await place.space().erase(name));
    co_return passages.size();
}

task<std::size_t> forget_document(semantic_items where, std::string name)
{
    const item_space place = where.space().below(std::vector<std::string>(1, name));
    const std::vector<std::string> names = co_await names_of_items(place);
    for (const std::string& each : names) static_cast<void>(co_await place.erase(each));
    co_return names.size();
}

}  // namespace weft
