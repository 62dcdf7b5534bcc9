// Fuzzes expressions: any text is either refused with an error or compiled; what is compiled evaluates within its
// limits, twice to the same, without an exception.

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/expression.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

const boost::json::object& values()
{
    static const boost::json::value all = weft::parse_json(
        R"({"a": 1, "b": -2.5, "c": "text é", "d": {"x": [1, 2, "y"], "y": null}, "e": [], "f": true,
            "g": 18446744073709551615})");
    return all.get_object();
}

std::optional<weft::expression> compile(std::string_view text, const weft::expression_limits& limits)
{
    try {
        return weft::expression::compile(text, limits);
    } catch (const weft::error& e) {
        if (e.code() != weft::errc::invalid_expression || e.where().empty() || e.detail().empty()) std::abort();
        return std::nullopt;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    weft::expression_limits limits;
    limits.steps_max = 100'000;
    limits.memory_bytes_max = 1 << 16;
    const auto compiled = compile({reinterpret_cast<const char*>(data), size}, limits);
    if (!compiled) return 0;
    const weft::json_scope scope{values()};
    const weft::expression_result first = compiled->evaluate(scope);
    const weft::expression_result second = compiled->evaluate(scope);
    if (first.has_error() && first.holds()) std::abort();
    if (first.text() != second.text() || first.holds() != second.holds()) std::abort();
    return 0;
}
