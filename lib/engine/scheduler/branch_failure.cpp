#include "branch_failure.hpp"

#include <utility>

namespace weft {

failure_ptr failure_at(const graph& of, const run_branch& where, errc code, std::string detail)
{
    failure result;
    result.code = code;
    result.node = of.name_of(where.node);
    result.visit = where.visit;
    result.attempt = where.attempt;
    result.message = "node '" + result.node + "'";
    if (where.visit > 0) result.message += ", visit " + std::to_string(where.visit);
    result.message.append(": ").append(describe(code)).append(detail.empty() ? "" : ": ").append(detail);
    return std::make_shared<const failure>(std::move(result));
}

}  // namespace weft
