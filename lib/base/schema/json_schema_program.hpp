#pragma once

#include "json_schema_pattern.hpp"

#include <weft/base/json_schema.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

/** A schema as it is applied. Names and values are those of the document. */
namespace weft::schema_detail {

using schema_index = std::uint32_t;
inline constexpr schema_index no_schema = std::numeric_limits<schema_index>::max();

/** A set of JSON's types, one bit for each. */
using type_set = std::uint8_t;
inline constexpr type_set null_type = 1;
inline constexpr type_set boolean_type = 2;
inline constexpr type_set integer_type = 4;
inline constexpr type_set number_type = 8;  // holds integers too
inline constexpr type_set string_type = 16;
inline constexpr type_set array_type = 32;
inline constexpr type_set object_type = 64;
inline constexpr type_set all_types = 127;

struct count_range {
    std::uint64_t min = 0;
    std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};

struct named_schema {
    std::string_view name;
    schema_index schema;
};

struct pattern_schema {
    schema_pattern pattern;
    schema_index schema;
};

/** What the presence of a member asks for. */
struct dependency {
    std::string_view member;
    std::vector<std::string_view> required = {};
    schema_index schema = no_schema;
};

struct object_rules {
    std::vector<named_schema> properties = {};
    const boost::json::object* known = nullptr;  ///< `properties` as given.
    std::vector<pattern_schema> patterns = {};
    std::vector<std::string_view> required = {};
    std::vector<dependency> dependencies = {};
    schema_index additional = no_schema;
    schema_index names = no_schema;
    count_range count = {};
};

struct array_rules {
    std::vector<schema_index> prefix = {};
    schema_index rest = no_schema;
    schema_index contained = no_schema;
    count_range contained_count = {.min = 1};
    count_range count = {};
    bool is_unique = false;
};

struct number_rules {
    const boost::json::value* min = nullptr;
    const boost::json::value* max = nullptr;
    const boost::json::value* above = nullptr;
    const boost::json::value* below = nullptr;
    const boost::json::value* multiple_of = nullptr;
};

struct text_rules {
    count_range length = {};
    std::optional<schema_pattern> pattern = {};
};

/** One schema. Rules that it has none of are null. */
struct schema_node {
    schema_index index = 0;
    bool refuses_all = false;
    type_set types = all_types;
    const boost::json::value* constant = nullptr;
    const boost::json::array* choices = nullptr;
    std::unique_ptr<object_rules> objects = {};
    std::unique_ptr<array_rules> arrays = {};
    std::unique_ptr<number_rules> numbers = {};
    std::unique_ptr<text_rules> texts = {};
    std::vector<schema_index> all_of = {};  ///< With what `$ref` refers to.
    std::vector<schema_index> any_of = {};
    std::vector<schema_index> one_of = {};
    schema_index forbidden = no_schema;
    schema_index condition = no_schema;
    schema_index then = no_schema;
    schema_index otherwise = no_schema;
};

struct schema_program {
    boost::json::value document;
    schema_limits limits;
    std::deque<schema_node> nodes = {};  ///< The first is the whole.
};

}  // namespace weft::schema_detail
