#pragma once

#include <weft/graph/streaming.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::graph_detail {

/** How a reader ended that began with its writer; its own visit, which comes next, takes it from the state. */
struct stream_outcome {
    write_set writes;
    std::exception_ptr error;
    bool is_taken = false;
};

using stream_outcome_ptr = std::shared_ptr<stream_outcome>;

/** The key, of no file and no checkpoint, where a reader's outcome waits for its visit. */
[[nodiscard]] any_state_key outcome_key(const std::string& name);
[[nodiscard]] bool is_outcome_key(const key_type& type) noexcept;
/** Its name. */
[[nodiscard]] std::string outcome_key_name(std::string_view reader);

/** A node of a pipeline. The graph outlives it. */
struct pipeline_stage {
    std::string_view name;
    std::shared_ptr<const stream_body> body;
    const key_scope* scope = nullptr;
    std::uint32_t outcome_slot = state_layout::none;  ///< Of a reader.
    std::uint32_t whole_slot = state_layout::none;    ///< Of a stream that the graph declares.
    std::vector<std::size_t> readers;                 ///< Their places in the pipeline, behind this one.
};

/** The work of a node whose stream is read while it is written: that of all nodes that the edges join to it. It writes
 *  how each of them ended. The first stage is the node itself. */
[[nodiscard]] std::shared_ptr<const node_body> make_pipeline(std::vector<pipeline_stage> stages);

/** The work of a reader: what the pipeline has done for it, or else its own. */
[[nodiscard]] std::shared_ptr<const node_body> make_pipeline_reader(std::shared_ptr<const stream_body> own,
                                                                    std::uint32_t outcome_slot);

}  // namespace weft::graph_detail
