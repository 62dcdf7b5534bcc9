#include <weft/tool/tool_set.hpp>

#include <weft/base/suggestion.hpp>

#include <algorithm>

namespace weft {

namespace json = boost::json;

namespace {

constexpr std::size_t name_length_max = 64;
constexpr std::string_view handoff_prefix = "transfer_to_";

bool is_tool_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void check_name(const std::string& name)
{
    if (!is_tool_name(name))
        throw error{errc::invalid_configuration, "tool '" + name + "'", std::string{tool_name_rule}};
}

std::optional<json_schema> compiled(const tool_spec& spec)
{
    if (spec.input == tool_input::text || spec.parameters.is_null()) return std::nullopt;
    return json_schema{spec.parameters};
}

/** Gives the branch of a graph away. */
class hand_over_tool final : public described_tool {
public:
    hand_over_tool(tool_spec spec, std::string node) : described_tool{std::move(spec)}, node_{std::move(node)}
    {
        editable_traits().hands_over = true;
    }
    task<tool_result> call(tool_invocation) override
    {
        tool_result result = tool_result::text("The conversation is handed over to " + node_ + ".");
        result.go_to = node_;
        co_return result;
    }

private:
    std::string node_;
};

/** Stands for a tool that is elsewhere. */
class remote_tool final : public described_tool {
public:
    explicit remote_tool(tool_spec spec) : described_tool{std::move(spec)} { editable_traits().is_remote = true; }
    task<tool_result> call(tool_invocation invocation) override
    {
        throw error{errc::invalid_configuration, "tool '" + invocation.call.name + "'",
                    "it is carried out elsewhere: use a tool_node that waits for its result"};
        co_return tool_result{};
    }
};

/** The schema of a member or of the items, where a schema may be a list of types, an `anyOf` with null. */
json::object* inner_schema(json::object& schema, std::string_view keyword)
{
    if (json::value* const found = schema.if_contains(keyword)) return found->if_object();
    json::value* const either = schema.if_contains("anyOf");
    if (!either || !either->is_array()) return nullptr;
    for (json::value& one : either->get_array())
        if (one.is_object())
            if (json::object* const found = inner_schema(one.get_object(), keyword)) return found;
    return nullptr;
}

json::object* member_schema(json::object& schema, std::string_view name)
{
    json::object* const properties = inner_schema(schema, "properties");
    json::value* const found = properties ? properties->if_contains(name) : nullptr;
    return found ? found->if_object() : nullptr;
}

}  // namespace

bool is_tool_name(std::string_view name) noexcept
{
    const bool fits = !name.empty() && name.size() <= name_length_max;
    return fits && std::all_of(name.begin(), name.end(), is_tool_letter);
}

namespace tool_detail {

void refuse_without_node(const tool_invocation& invocation)
{
    throw error{errc::invalid_configuration, "tool '" + invocation.call.name + "'",
                "it reads the state of a graph: call it from a tool_node"};
}

std::string fault_of(const error& mistake)
{
    return "The arguments do not fit: " + mistake.where() + ": " + mistake.detail() + ". Nothing was done.";
}

}  // namespace tool_detail

json::object& tool_editor::schema_at(std::string_view parameter)
{
    json::value& whole = work_->editable_spec().parameters;
    json::object* at = whole.if_object();
    std::string_view rest = parameter;
    while (at && !rest.empty()) {
        const std::size_t end = std::min(rest.find('.'), rest.size());
        std::string_view step = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        std::size_t lists = 0;
        for (; step.ends_with("[]"); step.remove_suffix(2)) ++lists;
        at = member_schema(*at, step);
        for (; at && lists > 0; --lists) at = inner_schema(*at, "items");
    }
    if (!at || parameter.empty())
        throw error{errc::invalid_configuration, "tool '" + entry_->spec.name + "'",
                    "it has no parameter '" + std::string{parameter} + "': correct the name"};
    return *at;
}

tool_editor& tool_editor::update()
{
    std::optional<json_schema> schema = compiled(work_->editable_spec());
    entry_->spec = work_->editable_spec();
    entry_->traits = work_->editable_traits();
    entry_->schema = std::move(schema);
    return *this;
}

tool_editor& tool_editor::describe(std::string_view parameter, std::string words)
{
    schema_at(parameter).insert_or_assign("description", words);
    return update();
}

tool_editor& tool_editor::range(std::string_view parameter, double min, double max)
{
    return constrain(parameter, {{"minimum", min}, {"maximum", max}});
}

tool_editor& tool_editor::length(std::string_view parameter, std::size_t min, std::size_t max)
{
    json::object& schema = schema_at(parameter);
    const bool is_list = schema.contains("items") || schema.contains("prefixItems");
    schema.insert_or_assign(is_list ? "minItems" : "minLength", min);
    schema.insert_or_assign(is_list ? "maxItems" : "maxLength", max);
    return update();
}

tool_editor& tool_editor::constrain(std::string_view parameter, const json::object& keywords)
{
    json::object& schema = schema_at(parameter);
    for (const json::key_value_pair& keyword : keywords) schema.insert_or_assign(keyword.key(), keyword.value());
    return update();
}

tool_editor& tool_editor::timeout(std::chrono::nanoseconds limit)
{
    work_->editable_traits().timeout = limit;
    return update();
}

tool_editor& tool_editor::idempotent()
{
    work_->editable_traits().is_idempotent = true;
    return update();
}

tool_editor& tool_editor::sequential()
{
    work_->editable_traits().is_parallel = false;
    return update();
}

tool_editor& tool_editor::read_only()
{
    work_->editable_traits().is_read_only = true;
    return update();
}

tool_editor& tool_editor::destructive()
{
    work_->editable_traits().is_destructive = true;
    return update();
}

tool_editor& tool_editor::tag(std::string name)
{
    work_->editable_traits().tags.push_back(std::move(name));
    return update();
}

tool_set& tool_set::add(std::shared_ptr<tool> what)
{
    if (!what) throw error{errc::invalid_configuration, "tool_set", "a tool is null: make one"};
    tool_entry entry{what, what->spec(), what->traits(), std::nullopt};
    check_name(entry.spec.name);
    if (find(entry.spec.name))
        throw error{errc::invalid_configuration, "tool '" + entry.spec.name + "'",
                    "the set has a tool of this name: choose another one"};
    entry.schema = compiled(entry.spec);
    places_.emplace(entry.spec.name, entries_.size());
    entries_.push_back(std::move(entry));
    return *this;
}

tool_set& tool_set::add(const tool_set& others)
{
    for (const tool_entry& entry : others.entries_) add(entry.work);
    return *this;
}

tool_editor tool_set::add_described(std::shared_ptr<described_tool> what)
{
    described_tool& work = *what;
    add(std::move(what));
    return {entries_.back(), work};
}

tool_editor tool_set::add_hand_over(const std::string& node, std::string when)
{
    tool_spec spec{std::string{handoff_prefix} + node, std::move(when),
                   json_schema_of<tool_detail::no_arguments>()};
    return add_described(std::make_shared<hand_over_tool>(std::move(spec), node));
}

tool_editor tool_set::add_remote(std::string name, std::string description, json::object schema)
{
    tool_spec spec{std::move(name), std::move(description), std::move(schema)};
    return add_described(std::make_shared<remote_tool>(std::move(spec)));
}

tool_set& tool_set::otherwise(std::function<std::shared_ptr<tool>(std::string_view name)> source)
{
    otherwise_ = std::move(source);
    return *this;
}

const tool_entry* tool_set::find(std::string_view name) const noexcept
{
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &entries_[found->second];
}

std::vector<tool_spec> tool_set::specs() const
{
    std::vector<tool_spec> all;
    all.reserve(entries_.size());
    for (const tool_entry& entry : entries_) all.push_back(entry.spec);
    return all;
}

std::string tool_set::names() const
{
    std::string text;
    for (const auto& [name, place] : places_) text.append(text.empty() ? "" : ", ").append(name);
    return text;
}

std::string tool_set::explain_unknown(std::string_view name) const
{
    std::string text = "there is no tool '" + std::string{name} + "'";
    if (empty()) return text + ": there are no tools";
    std::vector<std::string_view> known;
    for (const auto& [one, place] : places_) known.push_back(one);
    return text + did_you_mean(name, known) + "; there are: " + names();
}

tool_set tool_set::only(std::span<const std::string> names) const
{
    tool_set chosen;
    for (const std::string& name : names) {
        const tool_entry* const found = find(name);
        std::shared_ptr<tool> work = found ? found->work : nullptr;
        if (!work && otherwise_) work = otherwise_(name);
        if (!work) throw error{errc::invalid_configuration, "tool '" + name + "'", explain_unknown(name)};
        chosen.add(std::move(work));
    }
    return chosen;
}

tool_set tool_set::tagged(std::span<const std::string> tags) const
{
    tool_set chosen;
    for (const tool_entry& entry : entries_) {
        const std::vector<std::string>& has = entry.traits.tags;
        if (std::find_first_of(has.begin(), has.end(), tags.begin(), tags.end()) != has.end()) chosen.add(entry.work);
    }
    return chosen;
}

}  // namespace weft
