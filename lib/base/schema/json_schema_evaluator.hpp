#pragma once

#include "base/json/json_equality.hpp"
#include "json_schema_program.hpp"

#include <weft/base/text/json_path.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weft::schema_detail {

/** What a check found, at most `max` mistakes; with 0 only whether there is one. */
struct schema_findings {
    std::size_t max = 0;
    bool is_valid = true;
    std::vector<schema_mistake> mistakes = {};

    /** Nothing more can be learned. */
    [[nodiscard]] bool is_done() const noexcept { return !is_valid && mistakes.size() >= max; }

    /** @param make_text   Called only when the mistake is kept. */
    template <class MakeText>
    void add(const json_path& at, MakeText make_text)
    {
        is_valid = false;
        if (mistakes.size() >= max) return;
        schema_mistake mistake{at.text(), make_text()};
        if (std::find(mistakes.begin(), mistakes.end(), mistake) == mistakes.end())
            mistakes.push_back(std::move(mistake));
    }
};

/** Applies a program to a value. One object for each check.
 *
 *  @par Errors   `work_exceeded`, after which what was found is only a part. */
class schema_evaluator {
public:
    explicit schema_evaluator(const schema_program& program);

    void check(schema_index schema, const boost::json::value& what, const json_path& at, schema_findings& to);

private:
    using value = boost::json::value;

    [[nodiscard]] bool fits(schema_index schema, const value& what, const json_path& at);
    [[nodiscard]] bool has_type(const value& what, type_set types) const noexcept;
    [[nodiscard]] bool is_found(const schema_pattern& pattern, std::string_view text);
    void check_choices(const schema_node& node, const value& what, const json_path& at, schema_findings& to);
    void check_number(const number_rules& rules, const value& what, const json_path& at, schema_findings& to) const;
    void check_text(const text_rules& rules, const value& what, const json_path& at, schema_findings& to);

    // Arrays and objects.
    void check_array(const array_rules& rules, const boost::json::array& what, const json_path& at,
                     schema_findings& to);
    void check_contained(const array_rules& rules, const boost::json::array& what, const json_path& at,
                         schema_findings& to);
    void check_unique(const boost::json::array& what, const json_path& at, schema_findings& to);
    void check_object(const object_rules& rules, const value& what, const json_path& at, schema_findings& to);
    void check_member(const object_rules& rules, const boost::json::key_value_pair& member, const json_path& at,
                      schema_findings& to);
    void check_dependencies(const object_rules& rules, const value& what, const json_path& at, schema_findings& to);

    // `allOf`, `anyOf`, `oneOf`, `not`, `if`.
    void check_combinations(const schema_node& node, const value& what, const json_path& at, schema_findings& to);
    void check_any(const schema_node& node, const value& what, const json_path& at, schema_findings& to);
    void check_one(const schema_node& node, const value& what, const json_path& at, schema_findings& to);
    [[nodiscard]] std::string reasons(const std::vector<schema_index>& alternatives, const value& what,
                                      const json_path& at);

    const schema_program& program_;
    work_budget budget_;
};

}  // namespace weft::schema_detail
