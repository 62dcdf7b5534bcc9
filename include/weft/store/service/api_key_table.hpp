#pragma once

#include <weft/async/task.hpp>
#include <weft/store/role/document_store.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** A key that lets a client in, without the key itself. */
struct api_key {
    std::string hash;             ///< SHA-256 of the key, as 64 hexadecimal digits in lower case.
    std::string tenant;           ///< Whose client it is.
    std::string name;             ///< For people, such as "the nightly job".
    std::string metadata = "{}";  ///< A JSON object, such as what the client may do.
    wall_time created;            ///< Set by the table.
    std::optional<wall_time> expires = {};  ///< None: it is good until it is revoked.
};

/** A part of a list of keys. */
struct api_key_page {
    std::vector<api_key> keys;
    std::string next;  ///< For `after` of the page that follows; empty: nothing follows.
};

/** Keeps the API keys of a server in a `document_store`, by their hashes only: a reader of the store cannot log in.
 *
 *      const std::optional<api_key> found = co_await keys.find(hex_sha256(presented));
 *
 *  A key that is presented is hashed by the server and found by that hash, with one read. Keys have to be long random
 *  texts (32 bytes of `getrandom`), so that no hash can be guessed back.
 *
 *  @par Errors          As `document_store`; `errc::invalid_configuration` for a hash that is none, such as the key
 *                       itself.
 *  @par Thread safety   As `document_store`.
 *  @par Lifetimes       The store outlives it.
 */
class api_key_table {
public:
    explicit api_key_table(document_store& documents) noexcept : documents_{documents} {}

    /** Adds a key. @return False if its hash is there already; then nothing is changed. */
    [[nodiscard]] task<bool> add(api_key made);
    /** The key of a hash; nothing if there is none, or its end has come by the clock of the loop. */
    [[nodiscard]] task<std::optional<api_key>> find(std::string hash);
    /** Removes a key of a tenant. @return False if the tenant has none of this hash. */
    [[nodiscard]] task<bool> revoke(std::string tenant, std::string hash);
    /** The keys of a tenant, the newest first, also those whose end has come. */
    [[nodiscard]] task<api_key_page> list(std::string tenant, std::string after, std::size_t count_max);
    /** Removes keys whose end has come. @return How many; at most `count_max`. */
    [[nodiscard]] task<std::size_t> sweep(std::size_t count_max);

private:
    document_store& documents_;
};

}  // namespace weft
