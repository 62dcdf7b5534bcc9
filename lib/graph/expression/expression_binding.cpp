#include "expression_program.hpp"

#include <weft/base/error.hpp>
#include <weft/base/suggestion.hpp>
#include <weft/base/text/text_lines.hpp>
#include <weft/graph/expression.hpp>

#include <algorithm>
#include <array>
#include <new>

namespace weft {

namespace {

using meaning = bound_name::meaning;

constexpr std::array<std::pair<std::string_view, meaning>, 3> beside_keys{{
    {"memory", meaning::memory}, {"output", meaning::output}, {"result", meaning::result},
}};

/** What expressions see of a key's value; converts it when that cannot be helped. */
expression_value view_of_box(const value_box* box, expression_arena& arena)
{
    if (!box) return {};
    if (box->type().view) return box->type().view(*box);
    if (const boost::json::value* kept = arena.find_kept(box)) return expression_value::json(*kept);
    return arena.keep(box->type().to_json(*box), box);
}

bool is_readable(const value_type& type) { return type.view || type.to_json; }

/** The whole state as a dict. Keys without a value are not in it. */
class state_mapping final : public expression_mapping {
public:
    explicit state_mapping(const state_view& state) noexcept : state_{state} {}

    [[nodiscard]] bool find(std::string_view name, expression_value& into, expression_arena& arena) const override
    {
        const std::uint32_t slot = state_.layout().find(name);
        if (slot == state_layout::none) return false;
        const value_box* box = state_.at(slot);
        if (!box || !is_readable(box->type())) return false;
        into = view_of_box(box, arena);
        return true;
    }
    [[nodiscard]] boost::json::object to_json() const override { return state_.to_json(); }

private:
    state_view state_;
};

class state_scope final : public expression_scope {
public:
    state_scope(const state_view& state, std::span<const bound_name> names, const expression_mapping* output) noexcept
        : state_{state}, names_{names}, output_{output}
    {
    }

    [[nodiscard]] bool find(const expression_name& name, expression_value& into, expression_arena& arena) const override
    {
        const bound_name& bound = names_[name.index];
        switch (bound.is) {
        case meaning::key: into = view_of_box(state_.at(bound.slot), arena); return true;
        case meaning::memory:
            into = expression_value::mapping(*new (arena.allocate(sizeof(state_mapping))) state_mapping{state_});
            return true;
        case meaning::output:
            into = output_ ? expression_value::mapping(*output_)
                           : expression_value::container(expression_kind::dict, nullptr, 0);
            return true;
        case meaning::result:
            if (!output_ || !output_->find(name.text, into, arena)) into = {};
            return true;
        }
        return false;
    }

private:
    const state_view& state_;
    std::span<const bound_name> names_;
    const expression_mapping* output_;
};

/** What a name means; `slot` is `none` for a name that means nothing. */
bound_name meaning_of(const expression_name& name, const state_layout& layout)
{
    const std::uint32_t slot = layout.find(name.text, name.hash);
    if (slot != state_layout::none) return {meaning::key, slot};
    for (const auto& [word, is] : beside_keys)
        if (word == name.text) return {is, 0};
    return {meaning::key, state_layout::none};
}

constexpr std::uint32_t listed_max = 12;  // of a graph's keys

std::string list_of_keys(const state_layout& layout)
{
    if (layout.size() == 0) return "none";
    std::string list;
    for (std::uint32_t i = 0; i < std::min(layout.size(), listed_max); ++i)
        list.append(i == 0 ? "" : ", ").append(layout[i].name);
    if (layout.size() > listed_max)
        list.append(" and ").append(std::to_string(layout.size() - listed_max)).append(" more");
    return list;
}

std::string unknown_name(const expression_name& name, const state_layout& layout, bool is_suggested)
{
    for (const expression_detail::callable& f : expression_detail::functions())
        if (f.name == name.text) return "'" + name.text + "' is a function: call it, " + name.text + "(…)";
    if (name.text == "null" || name.text == "nil") return "'" + name.text + "' is not a value here: write None";
    const std::string unknown = "the graph has no key '" + name.text + "'";
    if (!is_suggested) return unknown;
    std::vector<std::string_view> known = layout.names();
    for (const auto& [word, is] : beside_keys) known.push_back(word);
    return unknown + did_you_mean(name.text, known) + "; its keys are: " + list_of_keys(layout);
}

}  // namespace

bool written_mapping::find(std::string_view name, expression_value& into, expression_arena& arena) const
{
    const std::uint32_t slot = layout_.find(name);
    const auto is_it = [slot](const state_write& write) { return write.slot == slot; };
    const auto last = std::find_if(writes_.rbegin(), writes_.rend(), is_it);
    if (slot == state_layout::none || last == writes_.rend()) return false;
    if (!last->value)
        into = {};
    else if (is_readable(last->value->type()))
        into = view_of_box(last->value.get(), arena);
    else
        return false;
    return true;
}

boost::json::object written_mapping::to_json() const
{
    boost::json::object values;
    for (const state_write& write : writes_) {
        boost::json::value& member = values[layout_[write.slot].name];
        if (!write.value)
            member = nullptr;
        else if (write.value->type().to_json)
            member = write.value->type().to_json(*write.value);
        else
            values.erase(layout_[write.slot].name);
    }
    return values;
}

std::vector<std::string> expression::mistakes(const state_layout& layout, std::size_t suggestions_max) const
{
    std::vector<std::string> found;
    const text_lines lines{text()};
    for (const expression_name& name : names()) {
        const bound_name bound = meaning_of(name, layout);
        if (bound.is != meaning::key) continue;
        const std::string where = lines.at(name.offset).text() + ": ";
        if (bound.slot == state_layout::none)
            found.push_back(where + unknown_name(name, layout, found.size() < suggestions_max));
        else if (!is_readable(*layout[bound.slot].type->value))
            found.push_back(where + "the type of key '" + name.text +
                            "' does not convert to JSON, so an expression cannot read it: use a predicate in C++");
    }
    return found;
}

bound_expression expression::bind(const state_layout& layout) const
{
    std::string all;
    for (const std::string& mistake : mistakes(layout)) all += (all.empty() ? "" : "\n") + mistake;
    if (!all.empty()) throw error{errc::unknown_state_key, "expression '" + text() + "'", all};
    std::vector<bound_name> bound;
    for (const expression_name& name : names()) bound.push_back(meaning_of(name, layout));
    return bound_expression{*this, std::move(bound)};
}

bound_expression::bound_expression(expression source, std::vector<bound_name> names) noexcept
    : source_{std::move(source)}, names_{std::move(names)}
{
}

expression_result bound_expression::evaluate(const state_view& state, const expression_mapping* output) const
{
    return source_.evaluate(state_scope{state, names_, output});
}

bool json_scope::find(const expression_name& name, expression_value& into, expression_arena& arena) const
{
    return find(std::string_view{name.text}, into, arena);
}

bool json_scope::find(std::string_view name, expression_value& into, expression_arena&) const
{
    const boost::json::value* found = values_.if_contains(name);
    if (found) into = expression_value::json(*found);
    return found != nullptr;
}

}  // namespace weft
