#pragma once
#include <vector>

#include "cppgen/ops/op.h"

namespace cppgen::ops {

// Each family appends its entries.
void add_unary_ops(std::vector<Op>&);
void add_activation_ops(std::vector<Op>&);
void add_binary_ops(std::vector<Op>&);
void add_select_ops(std::vector<Op>&);
void add_cast_ops(std::vector<Op>&);
void add_constant_ops(std::vector<Op>&);
void add_reshape_ops(std::vector<Op>&);
void add_move_ops(std::vector<Op>&);
void add_repeat_ops(std::vector<Op>&);
void add_depth_block_ops(std::vector<Op>&);
void add_slice_ops(std::vector<Op>&);
void add_pad_ops(std::vector<Op>&);
void add_gather_ops(std::vector<Op>&);
void add_scatter_ops(std::vector<Op>&);
void add_matmul_ops(std::vector<Op>&);
void add_einsum_ops(std::vector<Op>&);
void add_conv_ops(std::vector<Op>&);
void add_conv_transpose_ops(std::vector<Op>&);
void add_quantize_ops(std::vector<Op>&);
void add_quantized_contraction_ops(std::vector<Op>&);
void add_quantized_conv_ops(std::vector<Op>&);
void add_matmul_n_bits_ops(std::vector<Op>&);
void add_pool_ops(std::vector<Op>&);
void add_softmax_ops(std::vector<Op>&);
void add_normalization_ops(std::vector<Op>&);
void add_local_normalization_ops(std::vector<Op>&);
void add_reduce_ops(std::vector<Op>&);
void add_scan_ops(std::vector<Op>&);
void add_generator_ops(std::vector<Op>&);
void add_resize_ops(std::vector<Op>&);
void add_signal_ops(std::vector<Op>&);
void add_mel_ops(std::vector<Op>&);
void add_sized_ops(std::vector<Op>&);
void add_sample_ops(std::vector<Op>&);
void add_roi_ops(std::vector<Op>&);
void add_max_unpool_ops(std::vector<Op>&);
void add_loss_ops(std::vector<Op>&);
void add_training_ops(std::vector<Op>&);
void add_selection_ops(std::vector<Op>&);
void add_suppression_ops(std::vector<Op>&);
void add_encoding_ops(std::vector<Op>&);
void add_determinant_ops(std::vector<Op>&);
void add_recurrent_ops(std::vector<Op>&);
void add_control_flow_ops(std::vector<Op>&);
void add_sequence_ops(std::vector<Op>&);
void add_text_ops(std::vector<Op>&);
void add_image_ops(std::vector<Op>&);
void add_random_ops(std::vector<Op>&);
void add_dropout_ops(std::vector<Op>&);
void add_quantized_pointwise_ops(std::vector<Op>&);
void add_fused_integer_product_ops(std::vector<Op>&);
void add_tensor_scatter_ops(std::vector<Op>&);
void add_column_ops(std::vector<Op>&);
void add_crop_ops(std::vector<Op>&);
void add_decoding_ops(std::vector<Op>&);
void add_deform_conv_ops(std::vector<Op>&);
void add_fused_pointwise_ops(std::vector<Op>&);
void add_fused_product_ops(std::vector<Op>&);
void add_skip_normalization_ops(std::vector<Op>&);
void add_embedding_bag_ops(std::vector<Op>&);

}  // namespace cppgen::ops
