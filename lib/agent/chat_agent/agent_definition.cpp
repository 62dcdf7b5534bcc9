#include "agent_definition.hpp"

#include <algorithm>

namespace weft::agent_detail {

view_options agent_definition::view_for(const token_estimator& estimator) const
{
    view_options view;
    view.system = prompt;
    view.budget = std::min(options.budget, tokens{options.context_max.count() / 10 * 7});
    view.estimator = estimator;
    view.has_tools = runner.has_value();
    return view;
}

}  // namespace weft::agent_detail
