#include <weft/graph/expression.hpp>

#include "expression_compare.hpp"
#include "expression_compiler.hpp"
#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_program.hpp"
#include "expression_text.hpp"

#include <weft/base/error.hpp>
#include <weft/base/suggestion.hpp>
#include <weft/base/text/text_lines.hpp>
#include <weft/base/text/text_position.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <limits>
#include <new>

namespace weft {

namespace {

using expression_detail::evaluation;

constexpr int json_depth = 200;

boost::json::value json_of(evaluation& in, const expression_value& from, int depth);

boost::json::value json_of_dict(evaluation& in, const expression_value& dict, int depth)
{
    boost::json::object object;
    for (std::size_t i = 0; i < dict.size(); ++i)
        object.insert_or_assign(to_text(in, expression_detail::item_at(dict, i)),
                                json_of(in, expression_detail::member_at(dict, i), depth + 1));
    return object;
}

boost::json::value json_of_integer(const expression_value& from)
{
    if (expression_detail::is_small(from)) return from.as_integer();
    const auto wide = expression_detail::to_wide(from);
    if (wide > 0 && wide <= std::numeric_limits<std::uint64_t>::max()) return static_cast<std::uint64_t>(wide);
    const double largest = std::numeric_limits<double>::max();
    if (expression_detail::compare_integer_real(from, largest) > 0) return largest;
    if (expression_detail::compare_integer_real(from, -largest) < 0) return -largest;
    return expression_detail::to_real(from);
}

boost::json::value json_of(evaluation& in, const expression_value& from, int depth)
{
    if (depth > json_depth) expression_detail::refuse("RecursionError", "a value is nested too deep for JSON");
    switch (from.kind()) {
    case expression_kind::none: return nullptr;
    case expression_kind::boolean: return from.as_integer() != 0;
    case expression_kind::integer:
    case expression_kind::big_integer: return json_of_integer(from);
    case expression_kind::real: return from.as_real();
    case expression_kind::text: return boost::json::value(from.as_text());
    default: break;
    }
    const expression_value container = whole(in, from);
    if (container.is(expression_kind::dict)) return json_of_dict(in, container, depth);
    boost::json::array array;
    for (std::size_t i = 0; i < container.size(); ++i)
        array.push_back(json_of(in, expression_detail::item_at(container, i), depth + 1));
    return array;
}

/** Calls `f` with an evaluation of its own. */
template <class F>
auto on_a_copy(F f)
{
    constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
    expression_arena arena{unbounded};
    evaluation in{arena, unbounded, unbounded};
    return f(in);
}

using meaning = bound_name::meaning;

constexpr std::array<std::pair<std::string_view, meaning>, 3> beside_keys{{
    {"memory", meaning::memory}, {"output", meaning::output}, {"result", meaning::result},
}};

/** What expressions see of a key's value; converts it when that cannot be helped. */
expression_value view_of_box(const value_box* box, expression_arena& arena)
{
    if (!box) return {};
    // Texts and numbers are seen as they are. What else there is becomes JSON, once for an evaluation.
    if (box->type().view) return box->type().view(*box);
    if (const boost::json::value* known = arena.find(box)) return expression_value::json(*known);
    return arena.hold(box->type().to_json(*box), box);
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

constexpr std::uint32_t listed_keys_max = 12;  // of a graph's keys

std::string list_of_keys(const state_layout& layout)
{
    if (layout.size() == 0) return "none";
    std::string list;
    for (std::uint32_t i = 0; i < std::min(layout.size(), listed_keys_max); ++i)
        list.append(i == 0 ? "" : ", ").append(layout[i].name);
    if (layout.size() > listed_keys_max)
        list.append(" and ").append(std::to_string(layout.size() - listed_keys_max)).append(" more");
    return list;
}

std::string unknown_name(const expression_name& name, const state_layout& layout, bool is_suggested)
{
    // A function without its brackets is the likelier slip than a key of that name.
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

std::string expression_result::text() const
{
    if (has_error()) return error_;
    return on_a_copy([this](evaluation& in) {
        try {
            return represent(in, value_);
        } catch (const expression_detail::evaluation_error& e) {
            return e.text;
        }
    });
}

boost::json::value expression_result::to_json() const
{
    return on_a_copy([this](evaluation& in) -> boost::json::value {
        try {
            return json_of(in, value_, 0);
        } catch (const expression_detail::evaluation_error& e) {
            throw weft::error{errc::unexpected_json, "value of an expression", e.text};
        }
    });
}

expression::expression(std::shared_ptr<const expression_detail::program> compiled) noexcept
    : program_{std::move(compiled)}
{
}

expression expression::compile(std::string_view text, const expression_limits& limits)
{
    return expression{
        std::make_shared<const expression_detail::program>(expression_detail::compile_program(text, limits))};
}

expression_result expression::evaluate(const expression_scope& scope) const
{
    const expression_limits& limits = program_->limits;
    expression_result result{limits.memory_bytes_max};
    result.program_ = program_;
    std::size_t at = 0;
    const auto refuse = [&](const std::string& what) {
        const std::size_t last = std::min(at, program_->code.size() - 1);
        result.error_ = position_in(program_->text, program_->code[last].offset).text() + ": " + what;
        result.value_ = {};
        result.holds_ = false;
    };
    try {
        evaluation in{result.arena_, limits.steps_max, limits.steps_max};
        result.value_ = run(*program_, scope, in, at);
        result.holds_ = is_true(in, result.value_);
    } catch (const expression_detail::evaluation_error& e) {
        refuse(e.text);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& e) {  // a state value that does not convert to JSON, or a scope's own
        refuse(e.what());
    }
    return result;
}

const std::string& expression::text() const noexcept { return program_->text; }

std::span<const expression_name> expression::names() const noexcept { return program_->names; }

bool written_mapping::find(std::string_view name, expression_value& into, expression_arena& arena) const
{
    const std::uint32_t slot = layout_.find(name);
    const auto is_it = [slot](const state_write& write) { return write.slot == slot; };
    const auto none = std::make_reverse_iterator(writes_.begin());
    const auto last = std::find_if(std::make_reverse_iterator(writes_.end()), none, is_it);
    if (slot == state_layout::none || last == none) return false;
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
