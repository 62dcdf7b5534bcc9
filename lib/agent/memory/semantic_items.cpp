#include <weft/agent/memory/semantic_items.hpp>

#include "agent/text/key_text.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft {

namespace agent_detail {

/** What all copies and all namespaces share. */
struct vectors_maker {
    std::shared_ptr<embedding_model> model;
    std::string model_name;
    std::vector<std::string> fields;
};

}  // namespace agent_detail

namespace {

using maker_pointer = std::shared_ptr<const agent_detail::vectors_maker>;

[[noreturn]] void refuse(std::string where, std::string why)
{
    throw error{errc::invalid_configuration, std::move(where), std::move(why)};
}

void check_pointer(const std::string& field)
{
    bool is_pointer = field.empty() || field.front() == '/';
    for (std::size_t at = field.find('~'); at != field.npos; at = field.find('~', at + 1))
        is_pointer = is_pointer && at + 1 < field.size() && (field[at + 1] == '0' || field[at + 1] == '1');
    if (!is_pointer)
        refuse("semantic_items", "'" + field + "' is no JSON pointer: write it as '/title' or '/author/name'");
}

std::string text_of_item(const named_value& item, const std::vector<std::string>& fields)
{
    std::string text = text_of_fields(item.value, fields);
    if (text.empty())
        refuse("item '" + item.name + "'", "it has no text that could have a meaning: put it without a vector");
    return text;
}

/** @return  One vector for each text. */
task<std::vector<std::vector<float>>> vectors_of_texts(maker_pointer maker, std::vector<std::string> texts)
{
    const std::size_t count = texts.size();
    embeddings made = co_await maker->model->embed(std::move(texts));
    if (made.vectors.size() != count)
        throw error{errc::invalid_model_reply, std::string{maker->model->label()},
                    std::to_string(made.vectors.size()) + " vectors came for " + std::to_string(count) + " texts"};
    co_return std::move(made.vectors);
}

// Space and maker are parameters, so that the frame shares ownership of them.
task<void> put_values(item_space space, maker_pointer maker, std::vector<named_value> values,
                      std::optional<std::chrono::milliseconds> lifetime)
{
    std::vector<std::string> texts;
    for (const named_value& each : values) texts.push_back(text_of_item(each, maker->fields));
    std::vector<std::vector<float>> vectors = co_await vectors_of_texts(maker, std::move(texts));
    for (std::size_t i = 0; i != values.size(); ++i) {
        item_vector beside{maker->model_name, std::move(vectors[i])};
        co_await space.put_with_vector(std::move(values[i].name), std::move(values[i].value), std::move(beside),
                                       lifetime);
    }
}

task<std::vector<item_match>> search_values(item_space space, maker_pointer maker, semantic_query query)
{
    if (query.text.empty()) refuse("search by meaning", "the query is empty: say what is looked for");
    std::vector<std::string> texts(1, std::move(query.text));
    std::vector<std::vector<float>> vectors = co_await vectors_of_texts(maker, std::move(texts));
    vector_query nearest;
    nearest.vector.model = maker->model_name;
    nearest.vector.components = std::move(vectors.front());
    nearest.contains = std::move(query.contains);
    nearest.score_min = query.score_min;
    nearest.count_max = query.count_max;
    nearest.offset = query.offset;
    co_return co_await space.nearest(std::move(nearest));
}

}  // namespace

std::string text_of_fields(const boost::json::value& value, const std::vector<std::string>& fields)
{
    if (fields.empty()) return value.is_null() ? std::string{} : agent_detail::readable_text(value);
    std::string text;
    for (const std::string& field : fields) {
        boost::system::error_code missing;
        const boost::json::value* const found = value.find_pointer(field, missing);
        if (!found || found->is_null()) continue;
        const std::string part = agent_detail::readable_text(*found);
        if (!text.empty() && !part.empty()) text += '\n';
        text += part;
    }
    return text;
}

semantic_items::semantic_items(item_space space, std::shared_ptr<embedding_model> model,
                               semantic_items_options options)
    : space_{std::move(space)}
{
    if (!model) refuse("semantic_items", "there is no model of embeddings: give one");
    for (const std::string& field : options.fields) check_pointer(field);
    if (options.model_name.empty()) options.model_name = model->label();
    maker_ = std::make_shared<const agent_detail::vectors_maker>(
        agent_detail::vectors_maker{std::move(model), std::move(options.model_name), std::move(options.fields)});
}

semantic_items semantic_items::below(std::vector<std::string> names) const
{
    semantic_items made = *this;
    made.space_ = space_.below(std::move(names));
    return made;
}

task<void> semantic_items::put(std::string name, boost::json::value value,
                               std::optional<std::chrono::milliseconds> lifetime) const
{
    std::vector<named_value> one;
    one.push_back({std::move(name), std::move(value)});
    return put_all(std::move(one), lifetime);
}

task<void> semantic_items::put_all(std::vector<named_value> values,
                                   std::optional<std::chrono::milliseconds> lifetime) const
{
    return put_values(space_, maker_, std::move(values), lifetime);
}

task<std::vector<item_match>> semantic_items::search(semantic_query query) const
{
    return search_values(space_, maker_, std::move(query));
}

}  // namespace weft
