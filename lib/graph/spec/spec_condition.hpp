#pragma once

#include <weft/graph/edge/edge.hpp>
#include <weft/graph/expression.hpp>
#include <weft/graph/node/node_options.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::spec_detail {

/** Where an expression stands: after a node has ended it may use what the node wrote, `output` and `result`. */
enum class expression_place { anywhere, after_node };

/** The text of an expression, bound to the keys of a graph; mistakes say where in the text. */
[[nodiscard]] std::optional<bound_expression> bind_expression(std::string_view text, const state_layout& layout,
                                                              const json_path& at, spec_mistakes& mistakes,
                                                              expression_place where = expression_place::anywhere);

/** The condition of a part of a goal. */
[[nodiscard]] edge_predicate to_condition(bound_expression expression);

/** What must hold of the outputs of a node: over the state with what the node wrote. */
[[nodiscard]] std::function<std::string(const node_context&)> to_check(bound_expression expression);

/** The text that a condition was made of; `unnamed_predicate` if it was not made by `to_condition`, empty if it is
 *  empty. */
[[nodiscard]] std::string text_of(const edge_predicate& condition);
/** The same of the function of an output check. */
[[nodiscard]] std::string text_of(const output_check& check);

}  // namespace weft::spec_detail
