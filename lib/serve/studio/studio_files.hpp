#pragma once

#include <span>
#include <string_view>

namespace weft::serve_detail {

/** A file of the page, as it is sent. */
struct studio_file {
    std::string_view name;          ///< Such as `app.mjs`.
    std::string_view content_type;
    std::string_view etag;          ///< A weak one: it goes out compressed as well.
    std::string_view text;
};

/** The files of `page/`, which the build makes a source of: see `cmake/WeftStudio.cmake`. */
[[nodiscard]] std::span<const studio_file> studio_files() noexcept;

}  // namespace weft::serve_detail
