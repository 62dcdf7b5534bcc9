#include "spec_condition.hpp"

#include <weft/graph/graph_spec_writer.hpp>
#include <weft/graph/node_context.hpp>

#include <utility>

namespace weft::spec_detail {

namespace {

struct expression_condition {
    bound_expression expression;

    bool operator()(const state_view& state) const { return expression.evaluate(state).holds(); }
};

/** An output check by an expression, over the state with what the node wrote. */
class expression_check {
public:
    explicit expression_check(bound_expression expression) : expression_{std::move(expression)} {}

    std::string operator()(const node_context& context) const
    {
        // The check sees what the state would be if the node succeeded: its writes are not committed yet.
        state seen = context.snapshot();
        for (std::uint32_t slot = 0; slot < context.layout().size(); ++slot)
            if (const value_ptr& value = context.value_at(slot); value != seen.at(slot)) seen.writable(slot) = value;
        branch_state branch{std::move(seen)};
        const expression_result result = expression_.evaluate(state_view{branch});
        if (result.holds()) return {};
        const std::string text = "the check '" + expression_.source().text() + "' ";
        return result.has_error() ? text + "went wrong: " + result.error() : text + "does not hold";
    }

    [[nodiscard]] const std::string& text() const noexcept { return expression_.source().text(); }

private:
    bound_expression expression_;
};

/** Names that mean what a node wrote, and so nothing where none has just ended. */
bool means_output(const expression_name& name, const state_layout& layout)
{
    return (name.text == "output" || name.text == "result") && layout.find(name.text) == state_layout::none;
}

}  // namespace

std::optional<bound_expression> bind_expression(std::string_view text, const state_layout& layout, const json_path& at,
                                                spec_mistakes& mistakes, expression_place where)
{
    if (text == unnamed_predicate) {
        mistakes.add(at, "is a condition of a C++ program, which a file cannot hold: write it as an expression");
        return std::nullopt;
    }
    try {
        const expression compiled = expression::compile(text);
        std::vector<std::string> wrong =
            mistakes.is_full() ? compiled.mistakes(layout, 0) : compiled.mistakes(layout);
        for (const expression_name& name : compiled.names())
            if (where != expression_place::after_node && means_output(name, layout))
                wrong.push_back("'" + name.text + "' is not known here: name the key that the node wrote");
        for (std::string& mistake : wrong) mistakes.add(at, "in the expression: " + std::move(mistake));
        if (!wrong.empty()) return std::nullopt;
        return compiled.bind(layout);
    } catch (const error& e) {
        mistakes.add(at, "in the expression: " + e.where() + ": " + e.detail());
        return std::nullopt;
    }
}

edge_predicate to_condition(bound_expression expression) { return expression_condition{std::move(expression)}; }

std::string text_of(const edge_predicate& condition)
{
    if (!condition) return {};
    const auto* const known = condition.target<expression_condition>();
    return known ? known->expression.source().text() : std::string{unnamed_predicate};
}

std::function<std::string(const node_context&)> to_check(bound_expression expression)
{
    return expression_check{std::move(expression)};
}

std::string text_of(const output_check& check)
{
    if (!check.passes) return {};
    const auto* const known = check.passes.target<expression_check>();
    return known ? known->text() : std::string{unnamed_predicate};
}

}  // namespace weft::spec_detail
