#include "agent_tools.hpp"

#include <weft/base/error.hpp>

#include <string>

namespace interop::agents {

void add_invoice(weft::tool_set& to)
{
    to.add("invoice", "What became of an invoice.", [](const invoice_number& of) {
        if (of.number != "1017") throw weft::error{weft::errc::unknown_state_key, "invoice", "no invoice " + of.number};
        return "invoice " + of.number + " was paid on Monday";
    });
}

void expect_finished(std::string_view what, const weft::run_result& result, std::string_view path)
{
    expect(what, result.message(), "finished");
    if (path.empty()) return;
    std::string seen;
    for (const std::string_view node : result.path()) seen.append(seen.empty() ? "" : " ").append(node);
    expect(std::string{"the path of "} + std::string{what}, seen, path);
}

}  // namespace interop::agents
