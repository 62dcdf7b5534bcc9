#include "embedding_batches.hpp"

#include <weft/base/error.hpp>

namespace weft::model_detail {

namespace {

void check_text(const std::string& text, std::size_t index, std::size_t bytes_max)
{
    const std::string place = "texts[" + std::to_string(index) + "]";
    if (text.empty()) throw error{errc::invalid_configuration, place, "an empty text has no embedding: leave it out"};
    if (text.size() > bytes_max)
        throw error{errc::invalid_configuration, place,
                    "the text has " + std::to_string(text.size()) + " bytes, more than the " +
                        std::to_string(bytes_max) + " of `batch_bytes_max`: divide it"};
}

}  // namespace

std::vector<std::size_t> batches_of(std::span<const std::string> texts, batch_limits limits)
{
    std::vector<std::size_t> sizes;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i != texts.size(); ++i) {
        check_text(texts[i], i, limits.bytes_max);
        const bool fits =
            !sizes.empty() && sizes.back() < limits.inputs_max && texts[i].size() <= limits.bytes_max - bytes;
        if (!fits) {
            sizes.push_back(0);
            bytes = 0;
        }
        ++sizes.back();
        bytes += texts[i].size();
    }
    return sizes;
}

}  // namespace weft::model_detail
