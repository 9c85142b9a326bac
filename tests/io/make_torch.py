"""Writes weights of PyTorch modules, by torch.save and as safetensors, with inputs and outputs, to a folder.

modules.pt, modules.safetensors: a state_dict of one module of each kind.
expected.safetensors: the inputs and outputs of the modules: NAME.in, NAME.out.
odd.pt: tensors that are not contiguous, share storage, or have other dtypes.
odd.safetensors: the same tensors, contiguous.
bad_NAME.pt: files that are not a state_dict.

Exits with 77 if PyTorch is not installed.
"""
import json
import struct
import sys

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit(77)

folder = sys.argv[1] + "/"


def write_safetensors(path, tensors):
    names = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        plain = tensor.detach().clone().contiguous()
        bits = plain.view(torch.int16) if plain.dtype == torch.bfloat16 else plain
        numbers = bits.numpy().tobytes()
        header[name] = {"dtype": names[plain.dtype], "shape": list(plain.shape),
                        "data_offsets": [len(data), len(data) + len(numbers)]}
        data += numbers
    text = json.dumps(header).encode()
    open(path, "wb").write(struct.pack("<Q", len(text)) + text + data)


torch.manual_seed(1)
modules = nn.ModuleDict({
    "linear": nn.Linear(5, 4),
    "plain": nn.Linear(5, 4, bias=False),
    "words": nn.Embedding(7, 3),
    "norm": nn.LayerNorm(5),
    "lstm": nn.LSTM(5, 4),
    "bilstm": nn.LSTM(5, 4, bidirectional=True),
    "deep": nn.LSTM(5, 4, num_layers=3),
    "deepbi": nn.LSTM(5, 4, num_layers=2, bidirectional=True),
    "gru": nn.GRU(5, 4),
    "deepbigru": nn.GRU(5, 4, num_layers=2, bidirectional=True),
    "rnn": nn.RNN(5, 4),
    "lstmcell": nn.LSTMCell(5, 4),
})
with torch.no_grad():
    for weight in modules.norm.parameters():
        weight.normal_()
torch.save(modules.state_dict(), folder + "modules.pt")
write_safetensors(folder + "modules.safetensors", modules.state_dict())

expected = {}
steps = torch.randn(6, 5)
for name, module in modules.items():
    if name == "words":
        expected[name + ".out"] = module(torch.arange(7))
        continue
    if name == "lstmcell":
        output = module(steps)[0]
    else:
        output = module(steps)
        output = output[0] if isinstance(output, tuple) else output
    expected[name + ".in"], expected[name + ".out"] = steps, output
write_safetensors(folder + "expected.safetensors", expected)

whole = torch.randn(6, 4)
odd = {
    "whole": whole,
    "again": whole,
    "row": whole[2],
    "column": whole[:, 1],
    "block": whole[1:5:2, 1:3],
    "transposed": whole.t(),
    "permuted": torch.randn(2, 3, 4).permute(2, 0, 1),
    "scalar": torch.tensor(3.5),
    "empty": torch.zeros(3, 0),
    "one": torch.randn(1, 3, 1).transpose(0, 2),
    "double": torch.randn(3, dtype=torch.float64),
    "half": torch.randn(3).half(),
    "bfloat": torch.randn(3).bfloat16(),
    "parameter": nn.Parameter(torch.randn(2)),
    "größe": torch.ones(1),
}
torch.save(odd, folder + "odd.pt")
write_safetensors(folder + "odd.safetensors", odd)

torch.save({"a": whole}, folder + "bad_old.pt", _use_new_zipfile_serialization=False)
torch.save({"a": whole}, folder + "bad_protocol.pt", pickle_protocol=4)
torch.save({"epoch": 3, "state_dict": {"a": whole}}, folder + "bad_number.pt")
torch.save({"state_dict": {"a": whole}}, folder + "bad_nested.pt")
torch.save([whole], folder + "bad_list.pt")
torch.save({0: whole}, folder + "bad_name.pt")
torch.save({"a": torch.zeros(1).expand(1000)}, folder + "bad_expanded.pt")
torch.save({"a": torch.arange(3)}, folder + "bad_integers.pt")
torch.save({"a": torch.zeros(1, dtype=torch.complex64)}, folder + "bad_complex.pt")
torch.save(nn.Linear(1, 1), folder + "bad_module.pt")
torch.save({"a": print}, folder + "bad_function.pt")
