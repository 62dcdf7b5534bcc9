#pragma once

#include <weft/base/text/json_path.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

namespace schema_detail {
struct schema_program;
}

/** How large a schema may be, and how much work one check. */
struct schema_limits {
    std::size_t depth_max = 64;              ///< Levels of the schema's own JSON.
    std::size_t values_max = 100'000;        ///< Values in the schema's JSON.
    std::size_t pattern_bytes_max = 4096;    ///< Of one regular expression.
    std::size_t nesting_max = 512;           ///< Schemas inside schemas that are applied at one time.
    std::size_t steps_max = 2'000'000;       ///< Schemas applied, values compared, characters a pattern looks at.
};

/** What is wrong with a value. */
struct schema_mistake {
    std::string path;  ///< In the value, e.g. `$.branches[3].name`.
    std::string text;  ///< Goes on after the path: `expected an integer, got the string 'x'`.
    bool operator==(const schema_mistake&) const = default;
};

/** A JSON Schema, compiled; copies share it.
 *
 *  Keywords are those of draft 2020-12: `type`, `enum`, `const`; `properties`, `required`, `additionalProperties`,
 *  `patternProperties`, `propertyNames`, `minProperties`, `maxProperties`, `dependentRequired`, `dependentSchemas`;
 *  `prefixItems`, `items`, `contains`, `minContains`, `maxContains`, `minItems`, `maxItems`, `uniqueItems`; `minimum`,
 *  `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`; `minLength`, `maxLength` (code points), `pattern`
 *  (ECMAScript, without Unicode properties); `allOf`, `anyOf`, `oneOf`, `not`, `if`, `then`, `else`; `$ref` into the
 *  same document by JSON pointer, `$defs`. Of older drafts `definitions`, `dependencies`, `items` that is an array, and
 *  `additionalItems` are understood, and OpenAPI's `nullable`, which adds null to the `type` beside it. `format` and
 *  other annotations check nothing, as the standard has it; unknown keywords are ignored. References elsewhere,
 *  `$dynamicRef`, `unevaluatedItems` and `unevaluatedProperties` are refused.
 *
 *  @par Thread safety   Const functions may be called at the same time from anywhere.
 *  @par Source          json-schema.org/draft/2020-12, core and validation.
 */
class json_schema {
public:
    /** @param document   The schema, an object or a boolean; it is copied.
     *
     *  @par Errors
     *    - `errc::unexpected_json`  it is no schema, refers to itself without end, is too large or uses what is
     *      refused; where: the path of the first mistake, the detail has all. */
    explicit json_schema(const boost::json::value& document, const schema_limits& limits = {});

    /** Takes the path and the sentence of what is wrong with a schema. */
    using mistake_sink = std::function<void(const json_path& at, std::string text)>;
    /** The schema that stands at `at` of some other document, or nothing after a call of `sink` for each mistake,
     *  at most 100. */
    [[nodiscard]] static std::optional<json_schema> read(const boost::json::value& document, const json_path& at,
                                                         const mistake_sink& sink, const schema_limits& limits = {});

    /** What is wrong with a value, for people and for models to mend it; empty if nothing is. A check that would pass a
     *  limit ends with a mistake that says so.
     *
     *  @param max   At most so many mistakes, at least 1. */
    [[nodiscard]] std::vector<schema_mistake> mistakes(const boost::json::value& of, std::size_t max = 20) const;

    /** Whether `mistakes` would be empty; faster. */
    [[nodiscard]] bool accepts(const boost::json::value& what) const;

    /** The schema as it was given. */
    [[nodiscard]] const boost::json::value& document() const noexcept;

private:
    explicit json_schema(std::shared_ptr<const schema_detail::schema_program> program) noexcept;

    std::shared_ptr<const schema_detail::schema_program> program_;
};

/** `$.city: expected a string, got null; $: lacks the member 'day'` */
[[nodiscard]] std::string text_of(const std::vector<schema_mistake>& mistakes);

}  // namespace weft
