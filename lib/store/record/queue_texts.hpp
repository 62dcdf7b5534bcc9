#pragma once

#include <weft/store/record/worker_entry.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

/** What databases keep of the queue as JSON.
 *
 *  @par Errors   `errc::store_corrupt` for what these functions did not write. */
namespace weft::store_detail {

/** `{"user": "7"}`. */
[[nodiscard]] std::string text_of_keys(const std::map<std::string, std::string>& keys);
[[nodiscard]] std::map<std::string, std::string> keys_in(std::string_view text);

/** `[["research", "9f2c"]]`. */
[[nodiscard]] std::string text_of_abilities(const std::vector<graph_ability>& graphs);
[[nodiscard]] std::vector<graph_ability> abilities_in(std::string_view text);

/** `["t/acme", "g/research"]`. */
[[nodiscard]] std::string text_of_buckets(const std::vector<std::string>& buckets);
[[nodiscard]] std::vector<std::string> buckets_in(std::string_view text);

}  // namespace weft::store_detail
