#pragma once

#include "graph/document/document.hpp"

#include <weft/graph/graph_spec.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::spec_detail {

/** All mistakes of a file and of those it names. */
struct mistake_list {
    std::size_t max;
    std::vector<spec_mistake> mistakes;
    std::size_t count = 0;  ///< With those beyond `max`.
};

/** One graph file as a document, and where its mistakes are: those of the text, of its shape, and of what it means.
 *
 *  @par Lifetimes   The text and the list outlive it.
 */
class spec_document final : public spec_mistakes {
public:
    /** Reads the text.
     *  @param format   Of the text; `by_name`: by the name of the file. */
    spec_document(std::string file, graph_file_format format, std::string_view text, std::size_t bytes_max,
                  mistake_list& all);

    /** The spec, as far as it can be read; nothing if the text is no document, or no object. Call once. */
    [[nodiscard]] std::optional<graph_spec> take_spec();
    /** Whether no mistake of shape hides names of nodes or keys. Asked right after `take_spec`. */
    [[nodiscard]] bool has_all_names() const noexcept { return has_all_names_; }

    void add(const json_path& at, std::string text) override;
    void add_at_name(const json_path& at, std::string text) override;
    [[nodiscard]] std::size_t count() const noexcept override { return all_.count; }
    [[nodiscard]] bool is_full() const noexcept override { return all_.count >= all_.max; }
    [[nodiscard]] bool has_any_in(const json_path& at) const override;

private:
    void refuse_endless_numbers(boost::json::value& in, const json_path& at);
    void note_shape(const json_path& at);

    std::string file_;
    mistake_list& all_;
    document document_;
    bool has_all_names_;
};

}  // namespace weft::spec_detail
