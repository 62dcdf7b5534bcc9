#pragma once

#include <weft/net/options/http_response_head.hpp>
#include <weft/net/secret_string.hpp>

#include "model/wire/error_judge.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

using header_list = std::vector<std::pair<std::string, std::string>>;

/** What a provider's errors make of a JSON answer. */
[[nodiscard]] inline weft::model_failure judged_answer(int status, std::string_view body, const header_list& headers,
                                                       const weft::secret_string& key,
                                                       const weft::model_detail::error_dialect& errors)
{
    weft::http_response_head head;
    head.status = status;
    head.headers.add("content-type", "application/json");
    for (const auto& [name, value] : headers) head.headers.add(name, value);
    return weft::model_detail::response_failure(head, body, key, errors);
}

}  // namespace weft_tests
