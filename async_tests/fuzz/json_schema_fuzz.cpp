// Fuzzes JSON Schemas: whatever the schema and the value, compiling and checking end in bounded time, both ways of
// checking agree, and mistakes have paths and sentences. An input is two texts, the schema and the value, with a line
// end between them; its bytes also choose among keywords and values, which random texts do not hit.
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -Iinclude async_tests/fuzz/json_schema_fuzz.cpp …

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json_schema.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr weft::schema_limits limits{.pattern_bytes_max = 200, .nesting_max = 200, .steps_max = 20'000};

void require(bool holds)
{
    if (!holds) std::abort();
}

/** Makes schemas and values of bytes; zeros when there are no more. */
class generator {
public:
    explicit generator(std::string_view bytes) : bytes_{bytes} {}

    boost::json::value schema(int depth = 0)
    {
        if (depth > 5 || one_of(12) == 0) return one_of(2) == 0;
        boost::json::object result;
        for (std::size_t i = one_of(4); i > 0; --i) add_keyword(result, depth + 1);
        return result;
    }

    boost::json::value value(int depth = 0)
    {
        switch (one_of(depth > 5 ? 6 : 9)) {
        case 0: return nullptr;
        case 1: return one_of(2) == 0;
        case 2: return static_cast<std::int64_t>(one_of(7)) - 3;
        case 3: return static_cast<double>(one_of(256)) / 8 - 4;
        case 4: return one_of(2) == 0 ? boost::json::value(1e300) : boost::json::value(~std::uint64_t{0} - one_of(3));
        case 5: return boost::json::value(text());
        case 6:
        case 7: {
            boost::json::array items;
            for (std::size_t i = one_of(5); i > 0; --i) items.push_back(value(depth + 1));
            return items;
        }
        default: break;
        }
        boost::json::object members;
        for (std::size_t i = one_of(4); i > 0; --i) members[name()] = value(depth + 1);
        return members;
    }

private:
    std::size_t one_of(std::size_t count)
    {
        if (bytes_.empty()) return 0;
        const auto byte = static_cast<unsigned char>(bytes_.front());
        bytes_.remove_prefix(1);
        return byte % count;
    }

    std::string name()
    {
        constexpr std::array<std::string_view, 5> names{"a", "b", "ab", "é", ""};
        return std::string{names[one_of(names.size())]};
    }

    std::string text()
    {
        constexpr std::string_view alphabet = "ab(|)*+?[]^$.\\d{1,2}u";
        std::string result;
        for (std::size_t i = one_of(12); i > 0; --i) result += alphabet[one_of(alphabet.size())];
        return result;
    }

    boost::json::value names_of_members() { return boost::json::array{boost::json::value(name())}; }

    boost::json::value named(bool is_of_names, int depth)
    {
        boost::json::object result;
        for (std::size_t i = one_of(4); i > 0; --i)
            result[name()] = is_of_names ? names_of_members() : schema(depth);
        return result;
    }

    boost::json::value list(int depth)
    {
        boost::json::array result;
        for (std::size_t i = 1 + one_of(3); i > 0; --i) result.push_back(schema(depth));
        return result;
    }

    void add_keyword(boost::json::object& to, int depth)
    {
        constexpr std::array<std::string_view, 12> of_schema{
            "items", "contains",      "not",   "if",  "then", "else", "additionalProperties", "additionalItems",
            "items", "propertyNames", "items", "not"};
        constexpr std::array<std::string_view, 8> of_count{"minItems",      "maxItems",    "minLength",   "maxLength",
                                                           "minProperties", "maxContains", "minContains", "multipleOf"};
        constexpr std::array<std::string_view, 4> of_number{"minimum", "maximum", "exclusiveMinimum",
                                                            "exclusiveMaximum"};
        constexpr std::array<std::string_view, 4> of_list{"allOf", "anyOf", "oneOf", "prefixItems"};
        constexpr std::array<std::string_view, 4> of_named{"properties", "patternProperties",
                                                            "dependentSchemas", "$defs"};
        constexpr std::array<std::string_view, 5> references{"#", "#/$defs/a", "#/properties/b", "#/items",
                                                              "#/allOf/0"};
        constexpr std::array<std::string_view, 8> types{"null",   "boolean", "integer", "number",
                                                        "string", "array",   "object",  "any"};
        switch (one_of(11)) {
        case 0: to[of_schema[one_of(of_schema.size())]] = schema(depth); break;
        case 1: to[of_count[one_of(of_count.size())]] = one_of(5); break;
        case 2: to[of_number[one_of(of_number.size())]] = value(6); break;
        case 3: to[of_list[one_of(of_list.size())]] = list(depth); break;
        case 4:
            if (one_of(5) == 0) to["dependentRequired"] = named(true, depth);
            else to[of_named[one_of(of_named.size())]] = named(false, depth);
            break;
        case 5: to["$ref"] = references[one_of(references.size())]; break;
        case 6: to["type"] = types[one_of(types.size())]; break;
        case 7: to["pattern"] = text(); break;
        case 8: to["enum"] = boost::json::array{value(), value()}; break;
        case 9: to["uniqueItems"] = one_of(2) == 0; break;
        default: to["required"] = boost::json::array{boost::json::value(name())}; break;
        }
    }

    std::string_view bytes_;
};

std::optional<boost::json::value> parsed(std::string_view text)
{
    try {
        return weft::parse_json(text);
    } catch (const weft::error&) {
        return std::nullopt;
    }
}

void check(const boost::json::value& document, const boost::json::value& value)
{
    std::optional<weft::json_schema> schema;
    try {
        schema.emplace(document, limits);
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::unexpected_json && e.where().starts_with('$') && !e.detail().empty());
        return;
    }
    for (const boost::json::value* of : {&value, &document}) {
        const std::vector<weft::schema_mistake> mistakes = schema->mistakes(*of, 5);
        require(mistakes.size() <= 5);
        for (const weft::schema_mistake& m : mistakes) require(m.path.starts_with('$') && !m.text.empty());
        if (schema->accepts(*of)) require(mistakes.empty() || mistakes.back().text.starts_with("could not be checked"));
        else require(!mistakes.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    const std::size_t end = std::min(input.find('\n'), size);
    const auto document = parsed(input.substr(0, end));
    const auto value = parsed(input.substr(std::min(end + 1, size)));
    if (document) check(*document, value ? *value : boost::json::value{});
    generator made{input};
    const boost::json::value schema = made.schema();
    check(schema, made.value());
    return 0;
}
