#pragma once

#include <weft/testing/scripted_endpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace weft::testing {

/** The rules of an endpoint and how far they are used.
 *
 *  @par Thread safety   All operations from any OS thread.
 */
class scripted_endpoint_script {
public:
    using reply_function = scripted_endpoint_rule::reply_function;

    /** What a request gets, and where in the script that stands. */
    struct choice {
        std::shared_ptr<const reply_function> make;
        std::size_t rule = 0;
        std::size_t use = 0;
    };

    /** @return   The index of the rule. */
    std::size_t add_rule(scripted_endpoint_match match);
    void add_reply(std::size_t rule, reply_function make, bool is_for_all_further);

    /** Takes the next reply of the first rule that has one and is for this request. */
    [[nodiscard]] std::optional<choice> choose(const scripted_endpoint_request& request);

    /** The replies that no request asked for; a line for each rule. */
    [[nodiscard]] std::string unused() const;

private:
    struct rule {
        scripted_endpoint_match match;
        std::vector<std::shared_ptr<const reply_function>> replies;
        bool last_is_for_all = false;
        std::size_t used = 0;

        [[nodiscard]] bool is_used_up() const noexcept
        {
            return replies.empty() || (used >= replies.size() && !last_is_for_all);
        }
    };

    mutable std::mutex mutex_;
    std::vector<rule> rules_;
};

}  // namespace weft::testing
