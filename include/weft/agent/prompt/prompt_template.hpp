#pragma once

#include <weft/base/text/text_position.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class node_context;
class state_layout;

/** A text with places for the values of keys: `Write about {topic}.`; `{{` and `}}` are braces.
 *
 *  @par Thread safety   As a value.
 */
class prompt_template {
public:
    /** Where a key is named. */
    struct place {
        std::string key;
        text_position at;
    };
    /** What a template says in a run. */
    struct filled {
        std::string text;
        std::vector<std::string> missing;  ///< Keys that have no value; nothing stands in their places.
    };

    prompt_template() = default;
    /** @par Errors  `errc::invalid_configuration`; the detail names each wrong brace by line and column. */
    explicit prompt_template(std::string_view text);

    [[nodiscard]] bool is_empty() const noexcept { return texts_.empty(); }
    [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }

    /** Places whose keys a graph does not have, a sentence each: `line 1, column 7: there is no key 'tpoic' …`. */
    [[nodiscard]] std::vector<std::string> mistakes(const state_layout& keys) const;

    /** Puts the values in as the node sees them: texts as they are, others as JSON.
     *  @par Errors  `unknown_state_key`, `key_out_of_scope`, `state_conversion`, naming node and key. */
    [[nodiscard]] filled fill(const node_context& node) const;

    /** The text with what `value_of` gives in each place: for texts that are no prompts, such as URLs. */
    [[nodiscard]] std::string with(const std::function<std::string(const place&)>& value_of) const;

private:
    std::vector<std::string> texts_;  // one before each place, and one behind the last; none of an empty text
    std::vector<place> places_;
};

}  // namespace weft
