#pragma once

#include <weft/net/secret_string.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Takes secrets out of texts that leave the system: what was said in conversations, arguments of tools.
 *
 *  It hides, as `***`: the texts that it is given; what looks like a key of a known service (`sk-…`, `ghp_…`, `AKIA…`,
 *  a JSON Web Token, …); what follows `Bearer`; private keys in PEM; and the value of a name that the recordings of
 *  `cassette` hide too (`password`, `api_key`, `token`, …) in JSON, in a query and in `name: value`.
 *
 *  It finds what has one of these shapes. A secret in plain words, and personal data, it does not know.
 *
 *  @par Thread safety   As a value; `clean` from any OS thread. */
class secret_scrubber {
public:
    /** @param known   Secrets of at least four bytes; shorter ones are taken no notice of. */
    explicit secret_scrubber(std::vector<secret_string> known = {});

    [[nodiscard]] std::string clean(std::string_view text) const;
    /** Whether the value of a member of this name is a secret, whatever it looks like. */
    [[nodiscard]] bool hides(std::string_view name) const noexcept;

private:
    std::vector<secret_string> known_;
    std::vector<std::string> names_;
};

}  // namespace weft
