#pragma once

#include <weft/async/task.hpp>
#include <weft/net/secret_string.hpp>

#include <string>
#include <vector>

namespace weft_cli {

/** An API key of a server, for a list. */
struct key_row {
    std::string id;
    std::string name;
    std::string scopes;  ///< With commas.
    std::string made;
    std::string ends;    ///< `never`: when it is revoked.
};

/** The API keys of a server that runs, by its routes `/admin/keys`.
 *
 *  @par Errors      `usage_error` with what the server says; those of `http_client`. Of a server on another machine
 *                   only over TLS: the key would be read on its way.
 *  @par Lifetimes   Outlives its tasks. */
class remote_keys {
public:
    /** @param server   Its URL. @param key  One with the scope `keys:*`. */
    remote_keys(std::string server, weft::secret_string key) : server_{std::move(server)}, key_{std::move(key)} {}

    /** @return   The key itself. @param days  0: it does not end. */
    [[nodiscard]] weft::task<std::string> add(std::string name, std::vector<std::string> scopes, unsigned days) const;
    /** @param id   As its ID begins. */
    [[nodiscard]] weft::task<void> revoke(std::string id) const;
    [[nodiscard]] weft::task<std::vector<key_row>> list() const;

private:
    [[nodiscard]] weft::task<std::string> ask(std::string method, std::string path, std::string body) const;

    std::string server_;
    weft::secret_string key_;
};

}  // namespace weft_cli
